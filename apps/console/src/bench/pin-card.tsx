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
  const [slot = 0, pin = 0] = place.split('/').map(Number)
  const connections = useBenchPart((all) => all.connections) ?? []
  const hanging = connections.filter(({ pins }) => pins.includes(place))
  return (
    <Card title={texts.bench.pin(place)}>
      <PinChart key={place} place={place} />
      {hanging.length > 0 && (
        <ul class="plain-list" aria-label={texts.bench.elements.hanging}>
          {hanging.map((connection) => (
            <ConnectionItem key={connection.connection} connection={connection} />
          ))}
        </ul>
      )}
      <Connect key={place} slot={slot} pin={pin} />
    </Card>
  )
}

/** An element or a wire of a pin: press it, change it, or remove it. */
function ConnectionItem({
  connection: { connection: number, kind, description, settings },
}: {
  readonly connection: Connection
}) {
  const texts = useTexts()
  const bench = useBench()
  const press = bench.write('/connection/{number}/set', { number }, { press_for_ms: PRESS_MS })
  const remove = bench.write('/connection/{number}/disconnect', { number })
  const set = bench.operation('/connection/{number}/set')
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
            operation={withFieldsOf(set, settings, bench.operation(`/pin/{slot}/{pin}/${kind}`))}
            numbers={{ number }}
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

function Connect(numbers: { readonly slot: number; readonly pin: number }) {
  const texts = useTexts()
  const elements = elementsOf(useBench().api.value)
  const kind = useSignal(FIRST_KIND)
  const operation = elements.find(({ name }) => name === kind.value) ?? elements[0]
  if (operation === undefined) return null
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
      <OperationForm key={operation.path} operation={operation} numbers={{ ...numbers }} label={texts.bench.elements.connect} />
    </div>
  )
}
