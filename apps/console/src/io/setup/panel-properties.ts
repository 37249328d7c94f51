import type { PinState } from '../pin-state.ts'

/** What can be set at one pin. */
export interface PanelProperties {
  readonly slot: number
  readonly state: PinState
}
