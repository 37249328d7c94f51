import type { ReadonlySignal } from '@preact/signals'
import type { ChartView } from '../chart/chart-controls.tsx'
import type { ReplyTo } from '../store/device-types.ts'
import type { Shown } from '../store/readings.ts'
import type { PinState } from './pin-state.ts'
import type { PinTraces } from './pin-traces.ts'

/** What the parts of a pin show. */
export interface PinProperties {
  readonly slot: number
  readonly state: PinState
  readonly values: ReadonlySignal<Shown<ReplyTo<'io', 'getInputValues'>>>
  readonly currents: ReadonlySignal<Shown<ReplyTo<'io', 'getInputCurrents'>>>
  readonly traces: PinTraces
  readonly view: ChartView
}
