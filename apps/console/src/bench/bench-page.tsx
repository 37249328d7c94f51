import { useEffect, useState } from 'preact/hooks'
import { Action, SendChoice } from '../controls/action.tsx'
import { Card } from '../parts/card.tsx'
import { quantityText } from '../parts/format.ts'
import { useStore } from '../store/use-store.ts'
import type { Write } from '../store/write.ts'
import { useTexts } from '../texts/use-texts.ts'
import { useBench, useBenchPart } from './bench-data.ts'
import { OperationForm } from './operation-form.tsx'
import { OthersCard } from './others-card.tsx'
import { PinCard } from './pin-card.tsx'
import { ScenarioCard } from './scenario-card.tsx'
import { SlotsCard } from './slots-card.tsx'
import { WiringPicture } from './wiring-picture.tsx'

/** Paces that the page offers. */
const PACES = [0.1, 1, 10, 100, 1000]

/** The bench of a virtual device: what is around its modules, to touch. */
export function BenchPage() {
  const texts = useTexts()
  const bench = useBench()
  const hasBench = useStore().about.value?.hasBench ?? true
  useEffect(() => (hasBench ? bench.use() : undefined), [bench, hasBench])
  if (!hasBench) return <p class="notice">{texts.bench.none}</p>
  return (
    <>
      <header class="page-title">
        <h1>{texts.shell.places.bench}</h1>
        <span class="muted">{texts.bench.about}</span>
      </header>
      <Cards />
    </>
  )
}

function Cards() {
  const texts = useTexts()
  const { overview } = useBench()
  const [chosen, setChosen] = useState('')
  const { value, isStale, error } = overview.shown.value
  if (value === undefined) return <p class="muted">{error === undefined ? texts.shell.state.loading : texts.error(error)}</p>
  const places = value.slots.flatMap(({ slot, pins }) => pins.map(({ pin }) => `${slot}/${pin}`))
  const selected = places.find((place) => place === chosen) ?? places[0]
  return (
    <div class="bench">
      <div class="stack">
        <TimeBar />
        <Card title={texts.bench.wiring}>
          {error !== undefined && <p class="notice">{texts.error(error)}</p>}
          <div data-stale={isStale}>
            <WiringPicture bench={value} selected={selected} onSelect={setChosen} />
          </div>
        </Card>
        <SlotsCard />
        <ScenarioCard />
      </div>
      <div class="stack">
        {selected !== undefined && <PinCard place={selected} />}
        <OthersCard />
      </div>
    </div>
  )
}

/** The time of the device: pause, step and pace. */
function TimeBar() {
  const texts = useTexts()
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
          {quantityText(time.now_ms, 'ms', texts.language)}
        </output>
      }
    >
      <div class="time-bar">
        <Action write={toggle} label={isPaused ? texts.chart.resume : texts.chart.pause} isMain={isPaused} />
        <SendChoice
          label={texts.bench.clock.pace}
          choices={[...new Set([...PACES, ...(isPaused ? [] : [time.pace])])].sort((one, other) => one - other)}
          textOf={(pace) => `${pace} ×`}
          value={isPaused ? undefined : time.pace}
          writeOf={(pace) => bench.write('/time/pace', { pace }) as Write}
        />
        {isPaused && step !== undefined && <OperationForm operation={step} label={texts.bench.clock.step} />}
      </div>
    </Card>
  )
}
