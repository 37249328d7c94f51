import type { ReadonlySignal } from '@preact/signals'
import { Card } from '../parts/card.tsx'
import { Meter } from '../parts/meter.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { Value } from '../parts/value.tsx'
import type { ReplyTo } from '../store/device-types.ts'
import type { Shown } from '../store/readings.ts'
import { useReading } from '../store/use-store.ts'
import { useTexts } from '../texts/use-texts.ts'
import { RAILS, type Rail, railLoad, railPower } from './rails.ts'

type Reading<Reply> = ReadonlySignal<Shown<Reply>>
type Stats = ReplyTo<'power', 'getStats'>

/** What each rail supplies now, and what it can give. */
export function RailsCard({ slot }: { readonly slot: number }) {
  const { device, system } = useTexts()
  const stats = useReading('power', slot, 'getStats', 1000)
  const source = useReading('power', slot, 'getSource', 2000)
  const number = (title: string, unit: string, pick: (stats: Stats, rail: Rail) => number): Column<Rail> => ({
    title,
    isNumber: true,
    cell: (rail) => <Value reading={stats} pick={(reply) => pick(reply, rail)} unit={unit} />,
  })
  const columns: readonly Column<Rail>[] = [
    { title: device.electric.rail, cell: (rail) => device.rails[rail] },
    number(device.electric.voltage, 'mV', (reply, rail) => reply[`voltage_${rail}`]),
    number(device.electric.current, 'mA', (reply, rail) => reply[`current_${rail}`]),
    number(device.electric.limit, 'mA', (reply, rail) => reply[`limit_${rail}`]),
    { title: system.supply.load, cell: (rail) => <Load stats={stats} rail={rail} /> },
    number(device.power, 'mW', railPower),
    {
      title: device.budget.available,
      isNumber: true,
      cell: (rail) => <Value reading={source} pick={(reply) => reply[`source_${rail}`]} unit="mW" />,
    },
    {
      title: system.supply.efficiency,
      isNumber: true,
      cell: (rail) => <Value reading={source} pick={(reply) => reply[`efficiency_factor_${rail}`]} unit="%" />,
    },
  ]
  return (
    <Card
      title={system.supply.rails}
      aside={
        <span>
          {device.electric.source} <Value reading={source} pick={(reply) => reply.source_total} unit="mW" />
        </span>
      }
    >
      <Table caption={system.supply.rails} columns={columns} rows={RAILS} keyOf={(rail) => rail} />
    </Card>
  )
}

function Load({ stats, rail }: { readonly stats: Reading<Stats>; readonly rail: Rail }) {
  const { device, system } = useTexts()
  const { value } = stats.value
  if (value === undefined) return null
  const label = system.loadOf(device.rails[rail], railLoad(value, rail))
  return <Meter label={label} total={value[`limit_${rail}`]} drawn={value[`current_${rail}`]} granted={undefined} />
}
