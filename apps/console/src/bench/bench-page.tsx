import { useSignal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import { Card } from '../parts/card.tsx'
import { useStore } from '../store/use-store.ts'
import { useTexts } from '../texts/use-texts.ts'
import { BenchData } from './bench-data.ts'
import { FaultsCard } from './faults-card.tsx'
import { PinCard } from './pin-card.tsx'
import { RecordCard } from './record-card.tsx'
import { ScenarioCard } from './scenario-card.tsx'
import { SlotsCard } from './slots-card.tsx'
import { SurroundingsCard } from './surroundings-card.tsx'
import { TimeBar } from './time-bar.tsx'
import { BenchContext, useBench } from './use-bench.ts'
import { WiringPicture } from './wiring-picture.tsx'

/** The bench of a virtual device: what is around its modules, to touch. */
export function BenchPage() {
  const texts = useTexts()
  const store = useStore()
  const bench = useMemo(() => new BenchData(store), [store])
  const hasBench = store.about.value?.hasBench ?? true
  useEffect(() => (hasBench ? bench.use() : undefined), [bench, hasBench])
  if (!hasBench) return <p class="notice">{texts.bench.none}</p>
  return (
    <BenchContext.Provider value={bench}>
      <header class="page-title">
        <h1>{texts.shell.places.bench}</h1>
        <span class="muted">{texts.bench.about}</span>
      </header>
      <BenchState />
      <TimeBar />
      <Wiring />
      <div class="bench-halves">
        <FaultsCard />
        <SurroundingsCard />
        <RecordCard />
        <ScenarioCard />
      </div>
    </BenchContext.Provider>
  )
}

/** Why the bench cannot be read. */
function BenchState() {
  const { error } = useBench().overview.shown.value
  return error === undefined ? null : <p class="notice">{error}</p>
}

function Wiring() {
  const texts = useTexts()
  const { overview, api } = useBench()
  const chosen = useSignal<string | undefined>(undefined)
  const { value, isStale } = overview.shown.value
  if (value === undefined) return <p class="muted">{texts.shell.state.loading}</p>
  const first = value.slots.flatMap(({ slot, pins }) => pins.map(({ pin }) => `${slot}/${pin}`))[0]
  const selected = chosen.value ?? first
  return (
    <div class="bench-wiring">
      <Card title={texts.bench.wiring}>
        <div data-stale={isStale}>
          <WiringPicture
            bench={value}
            api={api.value}
            selected={selected}
            onSelect={(place) => {
              chosen.value = place
            }}
          />
        </div>
      </Card>
      {selected !== undefined && <PinCard place={selected} />}
      <SlotsCard />
    </div>
  )
}
