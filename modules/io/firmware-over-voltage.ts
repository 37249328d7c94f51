import type { Watched } from './firmware-threshold.ts'
import { Trigger } from './firmware-trigger.ts'

/** A voltage that swings over the limit again and again is told once in this time. */
export const OVER_VOLTAGE_REPEAT_MS = 1000

/**
 * Fires when the voltage rises above the limit from now on, however briefly. What is above already does not count; what rises in the
 * quiet time does at its end, if it is still above.
 */
export function overVoltageTrigger(watched: Watched, limitVolts: number, quietUntilMs: number): Trigger {
  return new Trigger({
    ...watched,
    band: { lowVolts: limitVolts, highVolts: limitVolts },
    direction: 'rising',
    wasHigh: false,
    debounceMs: OVER_VOLTAGE_REPEAT_MS,
    quietUntilMs,
    tellsWhatLasts: true,
  })
}
