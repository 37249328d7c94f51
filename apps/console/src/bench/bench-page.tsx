import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { Card } from '../parts/card.tsx'
import { useStore } from '../store/use-store.ts'
import { useTexts } from '../texts/use-texts.ts'
import { useBench } from './bench-data.ts'
import { OthersCard } from './others-card.tsx'
import { PinCard } from './pin-card.tsx'
import { ScenarioCard } from './scenario-card.tsx'
import { SlotsCard } from './slots-card.tsx'
import { TimeBar } from './time-bar.tsx'
import { WiringPicture } from './wiring-picture.tsx'

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
  const chosen = useSignal<string | undefined>(undefined)
  const { value, isStale, error } = overview.shown.value
  if (value === undefined) return <p class="muted">{error === undefined ? texts.shell.state.loading : texts.error(error)}</p>
  const places = value.slots.flatMap(({ slot, pins }) => pins.map(({ pin }) => `${slot}/${pin}`))
  const selected = places.find((place) => place === chosen.value) ?? places[0]
  return (
    <div class="bench">
      <div class="stack">
        <TimeBar />
        <Card title={texts.bench.wiring}>
          {error !== undefined && <p class="notice">{texts.error(error)}</p>}
          <div data-stale={isStale}>
            <WiringPicture
              bench={value}
              selected={selected}
              onSelect={(place) => {
                chosen.value = place
              }}
            />
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
