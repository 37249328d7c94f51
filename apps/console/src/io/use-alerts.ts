import { useComputed } from '@preact/signals'
import { isGap } from '@slotwire/client'
import { useStore } from '../store/use-store.ts'

/** An alert of a pin. */
export interface PinAlert {
  /** The date in milliseconds of this browser. */
  readonly at: number
  /** Names of `GET notification/<pin>`. */
  readonly flags: readonly string[]
}

const MOST_MARKS = 100

/** The newest alerts of a pin, oldest first. */
export function useAlerts(slot: number, pin: number): readonly PinAlert[] {
  const store = useStore()
  return useComputed(() =>
    store.records.list.value
      .filter((record) => !isGap(record) && record.kind === 'alert')
      .filter((record) => !isGap(record) && record['slot'] === slot && record['pin'] === pin)
      .slice(-MOST_MARKS)
      .map((record) => ({
        at: isGap(record) ? 0 : store.wallTimeOf(record),
        flags: isGap(record) ? [] : (record['alerts'] as readonly string[]),
      })),
  ).value
}
