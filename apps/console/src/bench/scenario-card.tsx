import { useState } from 'preact/hooks'
import { Action } from '../controls/action.tsx'
import { Card } from '../parts/card.tsx'
import { saveFile } from '../parts/save-file.ts'
import { useStore } from '../store/use-store.ts'
import { useTexts } from '../texts/use-texts.ts'
import { useBench, useBenchPart } from './bench-data.ts'
import type { ScenarioView } from './bench-types.ts'
import { scenarioText } from './scenario-text.ts'

const RIG = '/slotwire/bench/rig'
const YAML = 'application/yaml'

/** What this page did, as a scenario to save; or one that the user loads or writes. Runs it on this device, and shows its result. */
export function ScenarioCard() {
  const texts = useTexts()
  const { device, sent } = useStore()
  const bench = useBench()
  /** Undefined: what this page did is shown. */
  const [edited, setEdited] = useState<string | undefined>(undefined)
  const done = sent.list.value
  const last = useBenchPart(({ scenario }) => scenario)
  const text = edited ?? scenarioText(done, texts.bench.scenarioName)
  const saveRig = async (): Promise<void> => {
    const rig = (await device.extension(RIG).catch(() => undefined)) as { readonly text: string } | undefined
    if (rig !== undefined) saveFile('rig.yaml', YAML, rig.text)
  }
  const start = bench.write('/scenario/start', { text })
  const stop = bench.write('/scenario/stop')
  return (
    <Card title={texts.bench.scenario.title}>
      <label class="field">
        {texts.bench.scenario.file}
        <input
          type="file"
          accept=".yaml,.yml,text/plain"
          onChange={({ currentTarget }) => void currentTarget.files?.[0]?.text().then(setEdited)}
        />
      </label>
      {edited === undefined && <p class="muted">{texts.bench.recorded(done.length)}</p>}
      <textarea
        rows={8}
        spellcheck={false}
        aria-label={texts.bench.scenario.text}
        value={text}
        onInput={({ currentTarget }) => setEdited(currentTarget.value)}
      />
      <span class="row">
        {last?.state === 'running'
          ? stop !== undefined && <Action write={stop} label={texts.bench.scenario.stop} />
          : start !== undefined && <Action write={start} label={texts.bench.scenario.run} isMain />}
        <button type="button" onClick={() => saveFile('scenario.yaml', YAML, text)}>
          {texts.bench.scenario.save}
        </button>
        <button type="button" onClick={() => void saveRig()}>
          {texts.bench.scenario.saveRig}
        </button>
        <button
          type="button"
          onClick={() => {
            setEdited(undefined)
            sent.clear()
          }}
        >
          {texts.bench.scenario.forget}
        </button>
      </span>
      {last !== undefined && last.state !== 'none' && <Result scenario={last} />}
    </Card>
  )
}

function Result({ scenario }: { readonly scenario: ScenarioView }) {
  const texts = useTexts()
  const { name = '', state, steps = 0, step, step_text: stepText, failures = [], stopped_because: why } = scenario
  return (
    <div role="status">
      <p>
        <strong>{name}</strong>: {texts.bench.scenarioStates[state]}
        {step !== undefined && `, ${texts.bench.scenarioStep(step, steps)}`}
      </p>
      {stepText !== undefined && <pre tabIndex={0}>{stepText}</pre>}
      {why !== undefined && <p class="error">{why}</p>}
      {failures.map(({ line, expected, seen }) => (
        <p key={`${line} ${expected}`} class="error">
          {texts.bench.failure(line, expected, seen)}
        </p>
      ))}
    </div>
  )
}
