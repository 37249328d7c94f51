import { useSignal } from '@preact/signals'
import { Action } from '../controls/action.tsx'
import { Card } from '../parts/card.tsx'
import { useTexts } from '../texts/use-texts.ts'
import { elementsOf, type Operation } from './api-document.ts'
import { useBench, useBenchPart } from './bench-data.ts'
import type { Connection } from './bench-types.ts'
import { OperationForm } from './operation-form.tsx'
import { PinChart } from './pin-chart.tsx'
import { Select } from './select.tsx'

/** The element that is offered first, if the bench has it. */
const FIRST_KIND = 'source'
/** How long a button is held down, in milliseconds. */
const PRESS_MS = 100

/** The chosen pin: its course, what is connected to it, and what else can be. */
export function PinCard({ place }: { readonly place: string }) {
  const texts = useTexts()
  const connections = useBenchPart((all) => all.connections) ?? []
  const hanging = connections.filter(({ pins }) => pins.includes(place))
  return (
    <Card title={texts.bench.pin(place)}>
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
  const kind = useSignal(FIRST_KIND)
  const operation = elements.find(({ name }) => name === kind.value) ?? elements[0]
  if (operation === undefined) return null
  const isWire = operation.path.endsWith('/wire')
  return (
    <div class="connect">
      <Select
        label={texts.bench.elements.element}
        choices={elements.map(({ name }) => [name, texts.bench.kind(name)])}
        value={operation.name}
        onChange={(chosen) => {
          kind.value = chosen
        }}
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
