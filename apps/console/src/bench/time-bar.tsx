import { useSignal } from '@preact/signals'
import { Action } from '../controls/action.tsx'
import { SchemaField } from '../controls/field.tsx'
import { SendChoice } from '../controls/send-choice.tsx'
import { Card } from '../parts/card.tsx'
import type { Write } from '../store/write.ts'
import { useTexts } from '../texts/use-texts.ts'
import { BENCH } from './api-document.ts'
import { clockText } from './clock-text.ts'
import { useBench, useBenchPart } from './use-bench.ts'

/** Paces that the page offers, as far as the bench has them. */
const PACES = [0.1, 1, 10, 100, 1000]

/** The time of the device: pause, step and pace. */
export function TimeBar() {
  const texts = useTexts()
  const bench = useBench()
  const step = useSignal<number | undefined>(100)
  const time = useBenchPart(({ time: now }) => now).value
  const schemaOf = (path: string, name: string) => bench.api.value?.operations.get(BENCH + path)?.body?.properties[name]
  const [paceSchema, stepSchema] = [schemaOf('/time/pace', 'pace'), schemaOf('/time/step', 'ms')]
  if (time === undefined || paceSchema?.type !== 'number' || stepSchema === undefined) return null
  const { minimum = 0, maximum = Number.POSITIVE_INFINITY } = paceSchema
  const isPaused = time.pace === 0
  const paces = [...new Set([...PACES, ...(isPaused ? [] : [time.pace])])].filter((pace) => pace >= minimum && pace <= maximum)
  const setPace = (pace: number) => bench.write('/time/pace', {}, { pace })
  const toggle = bench.write(isPaused ? '/time/resume' : '/time/pause')
  const steps = bench.write('/time/step', {}, { ms: step.value })
  return (
    <Card
      title={texts.bench.clock.time}
      aside={
        <output class="number" aria-label={texts.bench.clock.twinTime}>
          {clockText(time.now_ms)}
        </output>
      }
    >
      <div class="time-bar">
        {toggle !== undefined && (
          <Action write={toggle} label={isPaused ? texts.chart.resume : texts.chart.pause} isMain={isPaused} />
        )}
        <SendChoice
          label={texts.bench.clock.pace}
          choices={paces.sort((one, other) => one - other)}
          unit="×"
          value={isPaused ? undefined : time.pace}
          writeOf={(pace) => setPace(pace) as Write}
        />
        <span class="step">
          <SchemaField
            schema={stepSchema}
            label={texts.bench.steps.stepBy}
            value={step.value}
            onChange={(ms) => {
              step.value = ms as number | undefined
            }}
          />
          {steps !== undefined && (
            <Action
              write={isPaused ? steps : { ...steps, problem: texts.bench.steps.stepNeedsPause }}
              label={texts.bench.steps.step}
            />
          )}
        </span>
      </div>
    </Card>
  )
}
