import { isGap, type JournalRecord } from '@slotwire/client'
import { RAILS, type Rail } from '@slotwire/core'
import type { DeviceStore } from './device-store.ts'
import type { ModuleView, ReplyTo, Service } from './device-types.ts'
import type { ModulePlace, Problem, Sensor } from './problem.ts'

/** Alerts and protection are a problem for so long, in milliseconds. */
const RECENT_MS = 300_000
/** A rail with less than this voltage is off, in millivolt. */
const RAIL_OFF_BELOW: Readonly<Record<Rail, number>> = { '3v3': 1650, '5v0': 2500, '12v': 6000 }
/** The controller of the supply counts an event at 125 °C (spec “Protection log”); other parts are rated for less. */
const HOT_CELSIUS: Readonly<Record<Sensor, number>> = { pmc_temp: 110, on_board_temp: 85, ntc_0: 90, ntc_1: 70 }
/** A watchdog is about to fire when less than this share of its time is left. */
const WATCHDOG_SHARE = 0.25

const FAST_MS = 1000
const SLOW_MS = 5000

/** The reads that show whether a module is well, with their intervals. */
export function vitalsOf(store: DeviceStore, service: Service, slot: number) {
  if (service === 'io') return [{ reading: store.reading('io', slot, 'getInputValues'), everyMs: SLOW_MS }]
  if (service === 'power')
    return [
      { reading: store.reading('power', slot, 'getStats'), everyMs: FAST_MS },
      { reading: store.reading('power', slot, 'getTemperature'), everyMs: SLOW_MS },
    ]
  if (service !== 'bmc') return []
  return [
    { reading: store.reading('bmc', slot, 'getWatchdog'), everyMs: FAST_MS },
    { reading: store.reading('bmc', slot, 'getTemperature'), everyMs: SLOW_MS },
  ]
}

/** All that needs a person now. Read it in a `computed`: it depends on signals. */
export function problemsOf(store: DeviceStore): readonly Problem[] {
  const isConnected = store.link.state.value.isConnected
  const isRestarting = store.isRestarting.value
  const warnings = store.warnings.value.map((text): Problem => ({ kind: 'warning', text }))
  return [
    ...(isConnected ? [] : [{ kind: 'lost' } as const]),
    ...(isRestarting ? [{ kind: 'restarting' } as const] : []),
    ...sessionsOf(store),
    ...(store.hidden.value.length === 0 ? [] : [{ kind: 'hidden', services: store.hidden.value } as const]),
    // Without a connection, or in a restart, nothing can be read: that is one problem, not many.
    ...(isConnected && !isRestarting ? store.modules.list.value.flatMap((module) => valuesOf(store, module)) : []),
    ...recentOf(store),
    ...warnings,
  ]
}

function sessionsOf({ isRestarting, modules }: DeviceStore): readonly Problem[] {
  const hung = modules.hung.value
  const notices = [...modules.notices.value.values()].filter(
    ({ what, slot }) => what === 'new-session' || !(isRestarting.value || hung.has(slot)),
  )
  return [
    ...[...hung].map(([slot, service]): Problem => ({ kind: 'hung', slot, service })),
    ...notices.map(({ what, slot, service }): Problem => ({ kind: what, slot, service })),
  ]
}

/** What the values of a module say. */
function valuesOf(store: DeviceStore, { service, slot }: ModuleView): readonly Problem[] {
  const at = { service, slot }
  if (service === 'power') {
    const stats = store.reading(service, slot, 'getStats').shown.value
    const heat = store.reading(service, slot, 'getTemperature').shown.value
    return [...unreadable(at, stats.error), ...railProblems(at, stats.value), ...hotProblems(at, heat.value)]
  }
  if (service === 'io') return unreadable(at, store.reading(service, slot, 'getInputValues').shown.value.error)
  if (service !== 'bmc') return []
  const { value, error } = store.reading(service, slot, 'getWatchdog').shown.value
  const heat = store.reading(service, slot, 'getTemperature').shown.value
  return [...unreadable(at, error), ...watchdogProblems(at, value), ...hotProblems(at, heat.value)]
}

function unreadable(at: ModulePlace, error: string | undefined): readonly Problem[] {
  return error === undefined ? [] : [{ ...at, kind: 'unreadable', error }]
}

function railProblems(at: ModulePlace, stats: ReplyTo<'power', 'getStats'> | undefined): readonly Problem[] {
  if (stats === undefined) return []
  return RAILS.flatMap((rail): readonly Problem[] => {
    if (stats[`voltage_${rail}`] < RAIL_OFF_BELOW[rail]) return [{ ...at, kind: 'rail-off', rail }]
    return stats[`current_${rail}`] > stats[`limit_${rail}`] ? [{ ...at, kind: 'rail-limit', rail }] : []
  })
}

function hotProblems(at: ModulePlace, temperatures: Readonly<Partial<Record<Sensor, number>>> | undefined): readonly Problem[] {
  return Object.entries(temperatures ?? {}).flatMap(([name, celsius]): readonly Problem[] => {
    const sensor = name as Sensor
    return celsius >= HOT_CELSIUS[sensor] ? [{ ...at, kind: 'hot', sensor, celsius: Math.round(celsius) }] : []
  })
}

function watchdogProblems(at: ModulePlace, watchdog: ReplyTo<'bmc', 'getWatchdog'> | undefined): readonly Problem[] {
  if (watchdog === undefined) return []
  const { timeout, timeout_left: leftMs, emergency_mode: isEmergency } = watchdog
  return [
    ...(isEmergency ? [{ ...at, kind: 'emergency' } as const] : []),
    ...(timeout > 0 && leftMs < timeout * WATCHDOG_SHARE ? [{ ...at, kind: 'watchdog', leftMs } as const] : []),
  ]
}

/** One entry for each pin with alerts, and for each protection counter that rose, in the last minutes. */
function recentOf({ records, minute, wallTime }: DeviceStore): readonly Problem[] {
  // They get old without a new record.
  const from = minute.value === undefined ? 0 : wallTime() - RECENT_MS
  const problems = new Map<string, Problem & { readonly count: number }>()
  for (const record of records.recent.value) {
    if (isGap(record) || Date.parse(String(record['at'])) < from) continue
    const problem = recentProblem(record)
    if (problem === undefined) continue
    const key = JSON.stringify({ ...problem, count: 0, flags: [] })
    const before = problems.get(key)
    problems.set(key, { ...problem, count: problem.count + (before?.count ?? 0), ...flagsOf(problem, before) })
  }
  return [...problems.values()]
}

/** The flags of all alerts of a pin, each once. */
function flagsOf(...problems: readonly (object | undefined)[]): { readonly flags?: readonly string[] } {
  const flags = problems.flatMap((problem) => (problem !== undefined && 'flags' in problem ? (problem.flags as string[]) : []))
  return flags.length === 0 ? {} : { flags: [...new Set(flags)] }
}

function recentProblem({ kind, slot, service, pin, alerts, count = 1, counter, from, to }: JournalRecord) {
  const at = { slot: Number(slot), service: String(service) }
  if (kind === 'alert')
    return { ...at, kind: 'alerts', pin: Number(pin), flags: alerts as readonly string[], count: Number(count) } as const
  if (kind === 'protection') return { ...at, kind, counter: String(counter), count: Number(to) - Number(from) } as const
  return undefined
}
