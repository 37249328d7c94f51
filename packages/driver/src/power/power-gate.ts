import type { ModuleDescriptor } from '@slotwire/core'
import type { Job, SlotApi } from '../slot/slot-api.ts'
import type { PowerDecision, RailPower } from './power-budget.ts'

/** A power configuration: what it needs, by the module's descriptor of that moment, and how the module is told. */
export interface PowerConfiguration {
  readonly need: (descriptor: ModuleDescriptor) => RailPower
  readonly configure: Job<void>
}

/** Applies power configurations, one at a time for the whole device; wire-protocol.md section 4. */
export interface PowerGate {
  /**
   * One write of the slot, in order of arrival: asks for the need; if granted suspends and restarts the module, runs `configure` and
   * reports. A denial touches nothing. If a step fails the module is suspended, the grant given back, and the error thrown.
   */
  apply(slot: SlotApi, configuration: PowerConfiguration): Promise<PowerDecision>
}
