import type { PowerDecision, RailPower } from './power-budget.ts'
import type { Job, SlotApi } from './slot-api.ts'

/** Applies power configurations, one at a time for the whole device; wire-protocol.md section 4. */
export interface PowerGate {
  /**
   * Asks for `need`; if granted suspends and restarts the module, runs `configure` and reports. A denial touches nothing. If a step
   * fails the module is suspended, the grant given back, and the error thrown.
   */
  apply(slot: SlotApi, need: RailPower, configure: Job<void>): Promise<PowerDecision>
}
