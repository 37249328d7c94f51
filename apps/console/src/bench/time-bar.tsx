import { Action } from '../controls/action.tsx'
import { SendChoice } from '../controls/send-choice.tsx'
import { Card } from '../parts/card.tsx'
import type { Write } from '../store/write.ts'
import { useTexts } from '../texts/use-texts.ts'
import { useBench, useBenchPart } from './bench-data.ts'
import { OperationForm } from './operation-form.tsx'

/** Paces that the page offers. */
const PACES = [0.1, 1, 10, 100, 1000]
const MS_PER_SECOND = 1000
const SECONDS = 60
const DIGITS = 2

/** The time of the device: pause, step and pace. */
export function TimeBar() {
  const texts = useTexts()
  const bench = useBench()
  const time = useBenchPart(({ time: now }) => now)
  const isPaused = time?.pace === 0
  const toggle = bench.write(isPaused ? '/time/resume' : '/time/pause')
  const step = bench.operation('/time/step')
  if (time === undefined || toggle === undefined) return null
  return (
    <Card
      title={texts.bench.time}
      aside={
        <output class="number" aria-label={texts.bench.twinTime}>
          {clockText(time.now_ms)}
        </output>
      }
    >
      <div class="time-bar">
        <Action write={toggle} label={isPaused ? texts.bench.resume : texts.bench.pause} isMain={isPaused} />
        <SendChoice
          label={texts.bench.pace}
          choices={[...new Set([...PACES, ...(isPaused ? [] : [time.pace])])].sort((one, other) => one - other)}
          unit="×"
          value={isPaused ? undefined : time.pace}
          writeOf={(pace) => bench.write('/time/pace', {}, { pace }) as Write}
        />
        {isPaused && step !== undefined && <OperationForm operation={step} label={texts.bench.step} />}
      </div>
    </Card>
  )
}

/** A time since the start as `1:02:03.4`. */
function clockText(ms: number): string {
  const seconds = ms / MS_PER_SECOND
  const two = (value: number): string => String(Math.floor(value)).padStart(DIGITS, '0')
  const tenth = Math.floor((seconds % 1) * 10)
  return `${Math.floor(seconds / SECONDS / SECONDS)}:${two((seconds / SECONDS) % SECONDS)}:${two(seconds % SECONDS)}.${tenth}`
}
