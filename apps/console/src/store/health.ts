import { isGap } from '@slotwire/client'
import type { DeviceStore } from './device-store.ts'

/** Something that needs a person. */
export type Problem =
  | { readonly kind: 'lost' }
  | { readonly kind: 'restarting' }
  | { readonly kind: 'left' | 'new-session'; readonly slot: number; readonly service: string }
  | { readonly kind: 'alerts'; readonly slot: number; readonly service: string; readonly pin: number; readonly count: number }
  | { readonly kind: 'warning'; readonly text: string }

/** Alerts are a problem for so long, in milliseconds. */
const ALERT_MS = 300_000

/** All that needs a person now. Read it in a `computed`: it depends on signals. */
export function problemsOf(store: DeviceStore): readonly Problem[] {
  const lost: readonly Problem[] = store.link.state.value.isConnected ? [] : [{ kind: 'lost' }]
  const restarting: readonly Problem[] = store.isRestarting.value ? [{ kind: 'restarting' }] : []
  const notices = [...store.modules.notices.value.values()].map(
    ({ what, slot, service }): Problem => ({ kind: what, slot, service }),
  )
  const warnings = store.warnings.value.map((text): Problem => ({ kind: 'warning', text }))
  return [...lost, ...restarting, ...notices, ...warnings, ...alertsOf(store)]
}

/** One entry for each pin with alerts in the last minutes. */
function alertsOf({ records, minute, wallTime }: DeviceStore): readonly Problem[] {
  // Alerts get old without a new record.
  const from = minute.value === undefined ? 0 : wallTime() - ALERT_MS
  const byPin = new Map<string, Problem & { readonly kind: 'alerts' }>()
  for (const record of records.list.value) {
    if (isGap(record) || record.kind !== 'alert' || Date.parse(String(record['at'])) < from) continue
    const [slot, pin] = [Number(record['slot']), Number(record['pin'])]
    const key = `${slot}/${pin}`
    const count = (byPin.get(key)?.count ?? 0) + 1
    byPin.set(key, { kind: 'alerts', slot, service: String(record['service']), pin, count })
  }
  return [...byPin.values()]
}
