import { Card } from '../parts/card.tsx'
import { useStore } from '../store/use-store.ts'
import { useTexts } from '../texts/use-texts.ts'
import { scenarioText } from './scenario-text.ts'
import { useBench } from './use-bench.ts'

const FILE_NAME = 'scenario.yaml'

/** What this page did with the device, as a scenario file. */
export function RecordCard() {
  const texts = useTexts()
  const { sent } = useStore()
  const { seen } = useBench()
  const done = sent.list.value
  const text = scenarioText(done, texts.bench.scenarioName, seen)
  return (
    <Card title={texts.bench.record} aside={<span class="muted">{texts.bench.recorded(done.length)}</span>}>
      {done.length === 0 ? (
        <p class="muted">{texts.bench.nothingRecorded}</p>
      ) : (
        <>
          <pre tabIndex={0} role="region" aria-label={texts.bench.scenarioText}>
            {text}
          </pre>
          <span class="row">
            <button type="button" class="main" onClick={() => save(text)}>
              {texts.bench.keep.save}
            </button>
            <button type="button" onClick={() => sent.clear()}>
              {texts.bench.keep.forget}
            </button>
          </span>
        </>
      )}
    </Card>
  )
}

function save(text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: 'application/yaml' }))
  const link = document.createElement('a')
  link.href = address
  link.download = FILE_NAME
  link.click()
  URL.revokeObjectURL(address)
}
