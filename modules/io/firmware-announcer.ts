import type { Clock, Timer } from '@slotwire/core'
import { type IoNotification, ioNotification } from './wire.ts'

/** Time from an event until it is readable; spec "Events" rule 2 ("usually more"), behaviour.md. */
export const NOTIFICATION_DELAY_MS = 20

/** Those of the four flags of a pin that are raised; spec "Notification record". */
export type Alerts = Partial<Record<keyof IoNotification, true>>

/** Sends events to the host when they are due. The rate of the pins' triggers limits how many are pending. */
export function createAnnouncer(clock: Clock, notify: (bytes: Uint8Array) => void) {
  const timers = new Set<Timer>()
  return {
    /** An event at pin `pin` (from 1) at `atMs`, now or a little earlier. */
    announce(pin: number, alerts: Alerts, atMs: number): void {
      const timer = clock.after(Math.max(0, atMs + NOTIFICATION_DELAY_MS - clock.now()), () => {
        timers.delete(timer)
        notify(encode(pin, alerts))
      })
      timers.add(timer)
    },
    /** Drops events that were not delivered. */
    cancel(): void {
      for (const timer of timers) timer.cancel()
      timers.clear()
    },
  }
}

function encode(pin: number, alerts: Alerts): Uint8Array {
  const mask = 1 << (pin - 1)
  const masks: Partial<Record<keyof IoNotification, number>> = {}
  for (const kind of ioNotification.kinds) if (alerts[kind] === true) masks[kind] = mask
  return ioNotification.bytes(masks)
}
