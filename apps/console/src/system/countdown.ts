import { type ReadonlySignal, useComputed, useSignal, useSignalEffect } from '@preact/signals'
import type { ReplyTo } from '../store/device-types.ts'
import type { Shown } from '../store/readings.ts'
import { useStore } from '../store/use-store.ts'

type Watchdog = ReplyTo<'bmc', 'getWatchdog'>

/** Milliseconds until the watchdog acts; undefined while it is off, or not known. Runs on between the readings, and without them. */
export function useCountdown(reading: ReadonlySignal<Shown<Watchdog>>): ReadonlySignal<number | undefined> {
  const { clock, now } = useStore()
  const watchdog = useComputed(() => reading.value.value)
  const readMs = useSignal(clock.now())
  useSignalEffect(() => {
    if (watchdog.value !== undefined) readMs.value = clock.now()
  })
  return useComputed(() => (watchdog.value === undefined ? undefined : leftAt(watchdog.value, readMs.value, now.value)))
}

/** What is left at a time of the clock, if it was read at another. */
export function leftAt(
  { timeout, timeout_left: left }: Pick<Watchdog, 'timeout' | 'timeout_left'>,
  readMs: number,
  nowMs: number,
) {
  return timeout === 0 ? undefined : Math.max(0, left - Math.max(0, nowMs - readMs))
}
