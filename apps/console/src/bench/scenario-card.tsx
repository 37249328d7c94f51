import { useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'
import { Action } from '../controls/action.tsx'
import { Badge, type Tone } from '../parts/badge.tsx'
import { Card } from '../parts/card.tsx'
import { Table } from '../parts/table.tsx'
import { useTexts } from '../texts/use-texts.ts'
import type { ScenarioView } from './bench-types.ts'
import { clockText } from './clock-text.ts'
import { useBench, useBenchPart } from './use-bench.ts'

const TONES: Readonly<Record<ScenarioView['state'], Tone>> = {
  none: 'quiet',
  running: 'accent',
  passed: 'good',
  failed: 'bad',
  stopped: 'warn',
}

/** Loads a scenario, runs it on this device, and shows its result. */
export function ScenarioCard() {
  const texts = useTexts()
  const bench = useBench()
  const text = useSignal('')
  const id = useId()
  const last = useBenchPart(({ scenario }) => scenario).value
  const isRunning = last?.state === 'running'
  const start = bench.write('/scenario/start', {}, { text: text.value })
  const stop = bench.write('/scenario/stop')
  return (
    <Card
      title={texts.bench.replay.scenario}
      aside={last !== undefined && <Badge tone={TONES[last.state]}>{texts.bench.scenarioStates[last.state]}</Badge>}
    >
      <span class="field">
        <label for={`${id}-file`}>{texts.bench.replay.scenarioFile}</label>
        <input
          id={`${id}-file`}
          type="file"
          accept=".yaml,.yml,text/plain"
          onChange={({ currentTarget }) => {
            void currentTarget.files?.[0]?.text().then((loaded) => {
              text.value = loaded
            })
          }}
        />
      </span>
      <span class="field">
        <label for={`${id}-text`}>{texts.bench.scenarioText}</label>
        <textarea
          id={`${id}-text`}
          rows={8}
          spellcheck={false}
          value={text.value}
          onInput={({ currentTarget }) => {
            text.value = currentTarget.value
          }}
        />
      </span>
      <span class="row">
        {start !== undefined && !isRunning && <Action write={start} label={texts.bench.replay.run} isMain />}
        {stop !== undefined && isRunning && <Action write={stop} label={texts.bench.replay.stopScenario} />}
      </span>
      {last !== undefined && last.state !== 'none' && <Result scenario={last} />}
    </Card>
  )
}

function Result({
  scenario: { name = '', state, steps = 0, step, step_text: stepText, at_ms: at, failures = [], stopped_because: why },
}: {
  readonly scenario: ScenarioView
}) {
  const texts = useTexts()
  return (
    <div role="status">
      <p>
        <strong>{name}</strong>: {texts.bench.scenarioStates[state]}
        {step !== undefined && `, ${texts.bench.scenarioStep(step, steps)}`}
        {at !== undefined && `, ${clockText(at)}`}
      </p>
      {stepText !== undefined && <pre tabIndex={0}>{stepText}</pre>}
      {why !== undefined && <p class="error">{why}</p>}
      {failures.length > 0 && (
        <Table
          caption={texts.bench.results.failures}
          rows={failures}
          keyOf={({ line, at_ms: failedAt }) => `${line} ${failedAt}`}
          columns={[
            { title: texts.bench.results.line, cell: ({ line }) => line },
            { title: texts.bench.steps.step, cell: ({ step_text: written }) => <code>{written}</code> },
            { title: texts.bench.results.expected, cell: ({ expected }) => expected },
            { title: texts.bench.results.saw, cell: ({ seen }) => seen },
          ]}
        />
      )}
    </div>
  )
}
