import type { Values } from './api-document.ts'

// What the page uses of the replies of the bench, which its API document describes.

/** An element that is connected to a pin, or a wire. */
export interface Connection {
  /** `c4`, or the name that it was given. */
  readonly name: string
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

export interface SlotView {
  readonly slot: number
  readonly module?: string
  readonly mode?: string
  readonly pins: readonly (Measured & { readonly pin: number })[]
}

export interface ScenarioView {
  readonly state: 'none' | 'running' | 'passed' | 'failed' | 'stopped'
  readonly name?: string
  readonly steps?: number
  readonly step?: number
  readonly step_text?: string
  readonly failures?: readonly { readonly line: number; readonly expected: string; readonly seen: string }[]
  readonly stopped_because?: string
}

/** What `GET /slotwire/bench` shows. */
export interface Bench {
  readonly time: { readonly now_ms: number; readonly pace: number }
  readonly slots: readonly SlotView[]
  readonly connections: readonly Connection[]
  readonly faults: readonly {
    readonly name: string
    readonly slot: number
    readonly kind: string
    readonly description: string
  }[]
  readonly scenario: ScenarioView
}
