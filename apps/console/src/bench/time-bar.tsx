import { Action } from '../controls/action.tsx'
import { SendChoice } from '../controls/send-choice.tsx'
import { Card } from '../parts/card.tsx'
import { quantityText } from '../parts/format.ts'
import type { Write } from '../store/write.ts'
import { useLanguage, useTexts } from '../texts/use-texts.ts'
import { useBench, useBenchPart } from './bench-data.ts'
import { OperationForm } from './operation-form.tsx'

/** Paces that the page offers. */
const PACES = [0.1, 1, 10, 100, 1000]

/** The time of the device: pause, step and pace. */
export function TimeBar() {
  const texts = useTexts()
  const language = useLanguage()
  const bench = useBench()
  const time = useBenchPart(({ time: now }) => now)
  const isPaused = time?.pace === 0
  const toggle = bench.write(isPaused ? '/time/resume' : '/time/pause')
  const step = bench.operation('/time/step')
  if (time === undefined || toggle === undefined) return null
  return (
    <Card
      title={texts.bench.clock.time}
      aside={
        <output class="number" aria-label={texts.bench.clock.twinTime}>
          {quantityText(time.now_ms, 'ms', language)}
        </output>
      }
    >
      <div class="time-bar">
        <Action write={toggle} label={isPaused ? texts.chart.resume : texts.chart.pause} isMain={isPaused} />
        <SendChoice
          label={texts.bench.clock.pace}
          choices={[...new Set([...PACES, ...(isPaused ? [] : [time.pace])])].sort((one, other) => one - other)}
          unit="×"
          value={isPaused ? undefined : time.pace}
          writeOf={(pace) => bench.write('/time/pace', { pace }) as Write}
        />
        {isPaused && step !== undefined && <OperationForm operation={step} label={texts.bench.clock.step} />}
      </div>
    </Card>
  )
}
