import type { Values } from './api-document.ts'

// The replies of the bench, as in its API document.

/** An element that is connected to a pin, or a wire. */
export interface Connection {
  readonly connection: number
  /** `slot/pin`. */
  readonly pins: readonly string[]
  readonly kind: string
  readonly description: string
  readonly settings: Values
}

export interface Measured {
  readonly volts: number
  readonly milliampere: number
}

export interface PinView extends Measured {
  readonly pin: number
}

export interface SlotView {
  readonly slot: number
  readonly module?: string
  readonly mode?: string
  readonly pins: readonly PinView[]
  readonly actions: readonly string[]
  readonly defects: readonly string[]
  readonly settings?: Values
}

export interface ActiveFault {
  readonly fault: number
  readonly slot: number
  readonly kind: string
  readonly description: string
  readonly until_ms?: number
}

export interface ScenarioFailure {
  readonly line: number
  readonly step_text: string
  readonly at_ms: number
  readonly expected: string
  readonly seen: string
}

export interface ScenarioView {
  readonly state: 'none' | 'running' | 'passed' | 'failed' | 'stopped'
  readonly name?: string
  readonly steps?: number
  readonly step?: number
  readonly step_text?: string
  readonly at_ms?: number
  readonly failures?: readonly ScenarioFailure[]
  readonly stopped_because?: string
}

/** All that `GET /slotwire/bench` shows. */
export interface Bench {
  readonly time: { readonly now_ms: number; readonly pace: number }
  readonly surroundings: {
    readonly ambient_celsius: number
    readonly computer_watt: number
    readonly rails: readonly {
      readonly rail: '3v3' | '5v0' | '12v'
      readonly load_milliampere: number
      readonly offset_millivolt: number
    }[]
  }
  readonly slots: readonly SlotView[]
  readonly usb: {
    readonly host_connected: boolean
    readonly devices: readonly { readonly slot: number; readonly product: string }[]
  }
  readonly connections: readonly Connection[]
  readonly faults: readonly ActiveFault[]
  readonly scenario: ScenarioView
}
