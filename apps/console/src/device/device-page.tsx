import { useComputed } from '@preact/signals'
import { Card } from '../parts/card.tsx'
import { ProblemList, useProblems } from '../parts/problem-list.tsx'
import { RailsCard } from '../parts/rails-card.tsx'
import { type Column, Table } from '../parts/table.tsx'
import type { Descriptor, ModuleView } from '../store/device-types.ts'
import { useStore } from '../store/use-store.ts'
import { useTexts } from '../texts/use-texts.ts'
import { Chassis } from './chassis.tsx'

/** The first page: what is in the slots, and whether all is well. */
export function DevicePage() {
  const texts = useTexts()
  const { modules } = useStore()
  const problems = useProblems()
  const power = modules.list.value.find(({ service }) => service === 'power')?.slot
  return (
    <div class="device-page">
      <h1 class="hidden-text">{texts.shell.places.device}</h1>
      {problems.length > 0 && (
        <section class="trouble" aria-label={texts.health.problems(problems.length)}>
          <ProblemList problems={problems} />
        </section>
      )}
      <Chassis />
      {power !== undefined && <RailsCard key={power} slot={power} aside={<a href={`#/power/${power}`}>{texts.device.more}</a>} />}
      {modules.list.value.length > 0 && <ModulesCard />}
    </div>
  )
}

/** Names, serial numbers, firmware and sessions of all modules. */
function ModulesCard() {
  const texts = useTexts()
  const { modules } = useStore()
  const columns: readonly Column<ModuleView>[] = [
    { title: texts.device.slotColumn, cell: ({ slot }) => slot },
    {
      title: texts.device.unit.module,
      cell: ({ service, slot }) => <a href={`#/${service}/${slot}`}>{texts.service(service)}</a>,
    },
    { title: texts.device.unit.product, cell: ({ descriptor, type }) => descriptor?.product_name ?? type },
    { title: texts.device.unit.session, isNumber: true, cell: ({ since }) => <SessionAge since={since} /> },
    { title: texts.device.unit.firmware, cell: ({ descriptor }) => descriptor !== undefined && firmwareText(descriptor) },
    { title: texts.device.serial, cell: ({ descriptor }) => <span class="number serial">{descriptor?.serial_code}</span> },
  ]
  return (
    <Card title={texts.device.unit.modules}>
      <Table caption={texts.device.unit.modules} columns={columns} rows={modules.list.value} keyOf={({ slot }) => slot} />
    </Card>
  )
}

/** `1.0.0`; alpha and beta versions say so. */
function firmwareText({ fw_version: { stability, version } }: Descriptor): string {
  const { major, minor, patch } = version
  const suffix = { A: ' α', B: ' β', S: '' }[stability]
  return `${major}.${minor}.${patch}${suffix}`
}

/** How long a session lasts, by the dates of the device and of this browser. */
function SessionAge({ since }: { readonly since: string }) {
  const texts = useTexts()
  const { now, wallTime } = useStore()
  const began = Date.parse(since)
  const age = useComputed(() => (now.value < 0 ? '' : texts.duration(Math.max(0, wallTime() - began))))
  if (Number.isNaN(began)) return <span class="muted">–</span>
  return (
    <time class="number" dateTime={since} title={new Date(began).toLocaleString(texts.language)}>
      {age}
    </time>
  )
}
