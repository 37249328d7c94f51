import { useEffect, useState } from 'preact/hooks'
import { Action, SendChoice } from '../controls/action.tsx'
import { Select } from '../controls/choice-input.tsx'
import { Badge } from '../parts/badge.tsx'
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
import { WiringPicture } from './wiring-picture.tsx'

/** The module that is offered first for an empty slot. */
const FIRST_MODULE = 'io'
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

/** All slots: pull modules, and plug them. */
function SlotsCard() {
  const texts = useTexts()
  const slots = useBenchPart((bench) => bench.slots.map(({ slot, module, mode }) => ({ slot, module, mode }))) ?? []
  return (
    <Card title={texts.device.slots}>
      <ul class="plain-list">
        {slots.map(({ slot, module, mode = '' }) => (
          <li key={slot} class="bench-slot">
            <span class="slot-number">{slot}</span>
            {module === undefined ? <EmptySlot slot={slot} /> : <FullSlot slot={slot} module={module} mode={mode} />}
          </li>
        ))}
      </ul>
    </Card>
  )
}

function EmptySlot({ slot }: { readonly slot: number }) {
  const texts = useTexts()
  const bench = useBench()
  const [module, setModule] = useState(FIRST_MODULE)
  const plug = bench.write('/plug', { slot, module })
  const kinds = bench.operation('/plug')?.body?.properties['module']
  if (plug === undefined || kinds === undefined || !('enum' in kinds)) return null
  return (
    <>
      <span class="what">
        <Select
          label={texts.device.unit.module}
          choices={kinds.enum.map((kind) => [String(kind), texts.service(String(kind))])}
          value={module}
          onChange={setModule}
        />
      </span>
      <Action write={plug} label={texts.bench.slots.plug} />
    </>
  )
}

function FullSlot({ slot, module, mode }: { readonly slot: number; readonly module: string; readonly mode: string }) {
  const texts = useTexts()
  const pull = useBench().write('/unplug', { slot })
  const warning = texts.bench.warnings[module]
  return (
    <>
      <span class="what">
        <strong>{texts.service(module)}</strong> <Badge tone={mode === 'run' ? 'good' : 'quiet'}>{texts.bench.mode(mode)}</Badge>
      </span>
      {pull !== undefined && (
        <Action
          write={pull}
          label={texts.bench.slots.pull}
          question={warning !== undefined && { title: texts.request.steps.ask, text: warning, confirm: texts.bench.slots.pull }}
        />
      )}
    </>
  )
}
