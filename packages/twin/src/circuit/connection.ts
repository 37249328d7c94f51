import type { BenchSettings } from '../settings/kind.ts'

/** A connected element or wire. */
export interface Connection<Change extends object = object> {
  /** Unique within the wiring, never reused: `c1`, `c2`, … */
  readonly id: string
  /** Names of its terminals: one of an element, two of a wire. */
  readonly terminals: readonly string[]
  /** The kind of element, or `wire`. */
  readonly kind: string
  /** For people: kind and values. */
  readonly description: string
  /** Current settings of the element. */
  readonly settings: BenchSettings
  /** Changes settings at once. Throws `RangeError` that names the invalid setting, and then changes nothing. */
  set(change: Change): void
  /** Removes it; further calls do nothing. */
  disconnect(): void
}
