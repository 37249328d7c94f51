import { type ReadonlySignal, useComputed } from '@preact/signals'
import { RAILS } from '@slotwire/core'
import type { ComponentChildren } from 'preact'
import { type BudgetRow, budgetOf, eachRail, grantedTo } from '../store/rail-power.ts'
import type { ReadingState } from '../store/readings.ts'
import { useReading, useStore } from '../store/use-store.ts'
import { useTexts } from '../texts/use-texts.ts'
import { Card } from './card.tsx'
import { quantityText } from './format.ts'
import { Meter } from './meter.tsx'
import { type Column, Table } from './table.tsx'
import { Value } from './value.tsx'

const STATS_MS = 1000
const SOURCE_MS = 10_000
const ROWS = [...RAILS, 'total'] as const
type Row = (typeof ROWS)[number]
type Budget = ReadonlySignal<ReadingState<readonly BudgetRow<'drawn' | 'granted'>[]>>

const MILLI = 1000

/** What each rail supplies, has promised to modules, and has left. */
export function RailsCard({ slot, aside }: { readonly slot: number; readonly aside?: ComponentChildren }) {
  const texts = useTexts()
  const { modules } = useStore()
  const stats = useReading('power', slot, 'getStats', STATS_MS)
  const source = useReading('power', slot, 'getSource', SOURCE_MS)
  const budget: Budget = useComputed(() => {
    const [now, from] = [stats.value, source.value]
    const older = now.isStale || !from.isStale ? now : from
    const descriptors = modules.list.value.map(({ descriptor }) => descriptor)
    const { value: measured } = now
    if (measured === undefined || from.value === undefined) return { ...older, value: undefined }
    const drawn = eachRail((rail) => Math.round((measured[`voltage_${rail}`] * measured[`current_${rail}`]) / MILLI))
    return { ...older, value: budgetOf(from.value, { drawn, granted: grantedTo(descriptors) }) }
  })
  const power = (title: string, pick: (parts: BudgetRow<'drawn' | 'granted'>) => number): Column<Row> => ({
    title,
    isNumber: true,
    cell: (row) => <Value reading={budget} pick={(rows) => rows.filter(({ rail }) => rail === row).map(pick)[0]} unit="mW" />,
  })
  const stat = (title: string, field: 'voltage' | 'current' | 'limit', unit: string): Column<Row> => ({
    title,
    isNumber: true,
    cell: (row) => row !== 'total' && <Value reading={stats} pick={(all) => all[`${field}_${row}`]} unit={unit} />,
  })
  const columns: readonly Column<Row>[] = [
    { title: texts.device.electric.rail, cell: (row) => (row === 'total' ? texts.device.budget.total : texts.device.rails[row]) },
    { title: texts.device.share, cell: (row) => <RailMeter budget={budget} row={row} /> },
    power(texts.device.budget.drawn, ({ drawn }) => drawn),
    power(texts.device.budget.granted, ({ granted }) => granted),
    power(texts.device.budget.left, ({ available, granted }) => available - granted),
    power(texts.device.budget.available, ({ available }) => available),
    stat(texts.device.electric.voltage, 'voltage', 'mV'),
    stat(texts.device.electric.current, 'current', 'mA'),
    stat(texts.device.electric.limit, 'limit', 'mA'),
  ]
  return (
    <Card title={texts.device.power} aside={aside}>
      <Table caption={texts.device.power} columns={columns} rows={ROWS} keyOf={(row) => row} />
      <p class="muted">{texts.device.totalHint}</p>
    </Card>
  )
}

function RailMeter({ budget, row }: { readonly budget: Budget; readonly row: Row }) {
  const texts = useTexts()
  const power = budget.value.value?.find(({ rail }) => rail === row)
  if (power === undefined) return null
  const { available, drawn, granted } = power
  const text = (value: number): string => quantityText(value, 'mW', texts.language)
  return (
    <Meter
      label={texts.device.shareOf(text(drawn), text(granted), text(available))}
      total={available}
      drawn={drawn}
      granted={granted}
    />
  )
}
