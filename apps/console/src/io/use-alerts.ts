import { useComputed } from '@preact/signals'
import { isGap } from '@slotwire/client'
import { useStore } from '../store/use-store.ts'
import type { Texts } from '../texts/en.ts'

/** An alert of a pin. */
export interface PinAlert {
  /** The date in milliseconds of this browser. */
  readonly at: number
  /** Names of `GET notification/<pin>`. */
  readonly flags: readonly string[]
}

const MAX_MARKS = 100
/** The pin falls back to analog input; spec "Events". */
const DISABLING = ['under_voltage_alert', 'high_voltage_alert', 'high_current_alert']

export function isDisabling(flags: readonly string[]): boolean {
  return flags.some((flag) => DISABLING.includes(flag))
}

/** An alert in words, and what the module did. */
export function alertsText(flags: readonly string[], { io }: Texts): string {
  return `${flags.map(io.alert).join(', ')}.${isDisabling(flags) ? ` ${io.switchedOff}` : ''}`
}

/** The newest alerts of a pin, oldest first. */
export function useAlerts(slot: number, pin: number): readonly PinAlert[] {
  const store = useStore()
  return useComputed(() =>
    store.records.recent.value
      .flatMap((record): readonly PinAlert[] => {
        if (isGap(record) || record.kind !== 'alert' || record['slot'] !== slot || record['pin'] !== pin) return []
        return [{ at: store.wallTimeOf(record), flags: record['alerts'] as readonly string[] }]
      })
      .slice(-MAX_MARKS),
  ).value
}
