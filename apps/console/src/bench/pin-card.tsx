import { useSignal } from '@preact/signals'
import { Action } from '../controls/action.tsx'
import { Card } from '../parts/card.tsx'
import { useTexts } from '../texts/use-texts.ts'
import type { BenchApi } from './api-document.ts'
import { ConnectionItem } from './connection-item.tsx'
import { KindSelect } from './kind-select.tsx'
import { OperationForm } from './operation-form.tsx'
import { PinChart } from './pin-chart.tsx'
import { PinSelect, type Place, placeOf } from './pin-select.tsx'
import { useBench, useBenchPart } from './use-bench.ts'

/** The element that is offered first, if the bench has it. */
const FIRST_KIND = 'source'

/** The chosen pin: its course, what is connected to it, and what else can be. */
export function PinCard({ place }: { readonly place: string }) {
  const texts = useTexts()
  const bench = useBench()
  const numbers = placeOf(place) ?? { slot: 0, pin: 0 }
  const connections = useBenchPart((all) => all.connections).value ?? []
  const hanging = connections.filter(({ pins }) => pins.includes(place))
  const short = bench.write('/pin/{slot}/{pin}/short', { ...numbers })
  const clear = bench.write('/pin/{slot}/{pin}/disconnect', { ...numbers })
  return (
    <Card
      title={texts.bench.pin(place)}
      aside={
        <span class="row">
          {short !== undefined && <Action write={short} label={texts.bench.short} />}
          {clear !== undefined && hanging.length > 0 && <Action write={clear} label={texts.bench.buttons.removeAll} />}
        </span>
      }
    >
      <PinChart key={place} place={place} />
      {hanging.length > 0 && (
        <ul class="plain-list" aria-label={texts.bench.elements.hanging}>
          {hanging.map((connection) => (
            <ConnectionItem key={connection.connection} connection={connection} />
          ))}
        </ul>
      )}
      {bench.api.value !== undefined && <Connect key={place} numbers={numbers} api={bench.api.value} />}
    </Card>
  )
}

function Connect({ numbers, api }: { readonly numbers: Place; readonly api: BenchApi }) {
  const texts = useTexts()
  const bench = useBench()
  const kind = useSignal(FIRST_KIND)
  const other = useSignal<Place | undefined>(undefined)
  const operation = api.elements.find(({ name }) => name === kind.value) ?? api.elements[0]
  const wire = bench.write('/pin/{slot}/{pin}/wire', { ...numbers }, { ...other.value })
  return (
    <div class="connect">
      <div>
        <h3>{texts.bench.elements.hang}</h3>
        <KindSelect
          label={texts.bench.elements.element}
          choices={api.elements.map(({ name }) => ({ value: name, text: texts.bench.kind(name) }))}
          value={kind.value}
          onChange={(chosen) => {
            kind.value = chosen
          }}
        />
        {operation !== undefined && (
          <OperationForm
            key={operation.path}
            operation={operation}
            numbers={{ ...numbers }}
            label={texts.bench.elements.connect}
          />
        )}
      </div>
      <div>
        <h3>{texts.bench.wires.wire}</h3>
        <PinSelect
          label={texts.bench.wires.otherPin}
          value={other.value}
          onChange={(chosen) => {
            other.value = chosen
          }}
        />
        {wire !== undefined && <Action write={wire} label={texts.bench.wires.connectWire} />}
      </div>
    </div>
  )
}
