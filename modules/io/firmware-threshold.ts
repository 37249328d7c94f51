import { thresholdBand } from './circuit.ts'
import type { TriggerOptions } from './firmware-trigger.ts'
import { Trigger } from './firmware-trigger.ts'

/** Where a trigger looks and whom it tells. */
export type Watched = Pick<TriggerOptions, 'clock' | 'node' | 'report'>

/** Fires when the voltage crosses the threshold from now on; what is beyond it already does not count. Spec IO rules 1 and 3. */
export function thresholdTrigger(watched: Watched, millivolt: number, direction: 'rising' | 'falling'): Trigger {
  const band = thresholdBand(millivolt, direction)
  // Inside the hysteresis the threshold has not been crossed yet.
  return new Trigger({ ...watched, band, direction, wasHigh: direction === 'falling', debounceMs: 0 })
}
