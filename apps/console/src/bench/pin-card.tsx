import { effect, useComputed } from '@preact/signals'
import { useEffect, useMemo, useState } from 'preact/hooks'
import { Chart } from '../chart/chart.tsx'
import { Trace } from '../chart/trace.ts'
import { Action } from '../controls/action.tsx'
import { Select } from '../controls/choice-input.tsx'
import { Card } from '../parts/card.tsx'
import { Value } from '../parts/value.tsx'
import { useStore } from '../store/use-store.ts'
import { useTexts } from '../texts/use-texts.ts'
import { BENCH, elementsOf, type Operation } from './api-document.ts'
import { useBench, useBenchPart } from './bench-data.ts'
import type { Connection, Measured } from './bench-types.ts'
import { OperationForm } from './operation-form.tsx'

/** The element that is offered first, if the bench has it. */
const FIRST_KIND = 'source'
/** How long a button is held down, in milliseconds. */
const PRESS_MS = 100
/** So often the pin is measured, in milliseconds. */
const PIN_MS = 100
const MILLI = 1000
const SERIES = 2

/** The chosen pin: its course, what is connected to it, and what else can be. */
export function PinCard({ place }: { readonly place: string }) {
  const texts = useTexts()
  const connections = useBenchPart((all) => all.connections) ?? []
  const hanging = connections.filter(({ pins }) => pins.includes(place))
  return (
    <Card title={texts.pin(place)}>
      <PinChart key={place} place={place} />
      {hanging.length > 0 && (
        <ul class="plain-list" aria-label={texts.bench.elements.hanging}>
          {hanging.map((connection) => (
            <ConnectionItem key={connection.name} connection={connection} />
          ))}
        </ul>
      )}
      <Connect key={place} place={place} />
    </Card>
  )
}

/** Voltage and current of a pin as a multimeter would show them, and their course. Give it a `key` for each pin. */
function PinChart({ place }: { readonly place: string }) {
  const texts = useTexts()
  const { wallTime } = useStore()
  const bench = useBench()
  const reading = useMemo(() => bench.reading<Measured>(`${BENCH}/pin/${place}`), [bench, place])
  const isSmall = useComputed(() => Math.abs(reading.shown.value.value?.milliampere ?? 0) < 1).value
  const trace = useMemo(() => new Trace(SERIES), [place])
  useEffect(() => reading.use(PIN_MS), [reading])
  useEffect(
    () =>
      effect(() => {
        const { value, isOld, isStale } = reading.shown.value
        if (isStale || isOld) trace.interrupt(wallTime())
        else if (value !== undefined) trace.push(wallTime(), [value.volts, value.milliampere], PIN_MS)
      }),
    [trace, reading],
  )
  return (
    <>
      <p class="measured">
        <Value reading={reading.shown} pick={({ volts }) => volts * MILLI} unit="mV" label={texts.device.electric.voltage} />
        <Value
          key={isSmall ? 'µA' : 'mA'}
          reading={reading.shown}
          pick={({ milliampere }) => Math.round(isSmall ? milliampere * MILLI : milliampere)}
          unit={isSmall ? 'µA' : 'mA'}
          label={texts.device.electric.current}
        />
      </p>
      <Chart
        label={texts.bench.course(place)}
        trace={trace}
        series={[
          { label: texts.device.electric.voltage, unit: 'V', color: 1 },
          { label: texts.device.electric.current, unit: 'mA', color: 2 },
        ]}
      />
      <small class="muted">{texts.bench.sampled(PIN_MS)}</small>
    </>
  )
}

/** An element or a wire of a pin: press it, change it, or remove it. */
function ConnectionItem({ connection: { name, kind, description, settings } }: { readonly connection: Connection }) {
  const texts = useTexts()
  const bench = useBench()
  const press = bench.write('/press', { of: name, for_ms: PRESS_MS })
  const remove = bench.write('/disconnect', { of: name })
  const set = bench.operation('/set')
  return (
    <li class="connection">
      <span class="what">
        <strong>{texts.bench.kind(kind)}</strong>
        <small class="muted">{description}</small>
      </span>
      {press !== undefined && 'pressed' in settings && <Action write={press} label={texts.bench.elements.press} />}
      {remove !== undefined && <Action write={remove} label={texts.bench.elements.remove} />}
      {set !== undefined && Object.keys(settings).length > 0 && (
        <details>
          <summary>{texts.bench.change}</summary>
          <OperationForm
            operation={withFieldsOf(set, settings, bench.operation('/connect', kind))}
            fixed={{ of: name }}
            current={settings}
            label={texts.set}
          />
        </details>
      )}
    </li>
  )
}

/** The operation with the fields that an element has, as the request that connects it describes them. */
function withFieldsOf(set: Operation, settings: object, element: Operation | undefined): Operation {
  const names = Object.keys(settings).filter((name) => name in (set.body?.properties ?? {}))
  const all = { ...set.body?.properties, ...element?.body?.properties }
  const properties = Object.fromEntries(Object.entries(all).filter(([name]) => names.includes(name)))
  return { ...set, body: { type: 'object', properties, required: names, additionalProperties: false } }
}

function Connect({ place }: { readonly place: string }) {
  const texts = useTexts()
  const elements = elementsOf(useBench().api.value)
  const [kind, setKind] = useState(FIRST_KIND)
  const operation = elements.find(({ name }) => name === kind) ?? elements[0]
  if (operation === undefined) return null
  const isWire = operation.path.endsWith('/wire')
  return (
    <div class="connect">
      <Select
        label={texts.bench.elements.element}
        choices={elements.map(({ name }) => [name, texts.bench.kind(name)])}
        value={operation.name}
        onChange={setKind}
      />
      {isWire ? (
        <OperationForm
          key={operation.name}
          operation={{ ...operation, example: { pins: [place, ''] } }}
          label={texts.bench.elements.connect}
        />
      ) : (
        <OperationForm key={operation.name} operation={operation} fixed={{ pin: place }} label={texts.bench.elements.connect} />
      )}
    </div>
  )
}
