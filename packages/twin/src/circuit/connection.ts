import type { Settings } from '../settings/field.ts'

/** Something that was connected. */
export interface Connection<Change extends object = object> {
  /** Its own for as long as the wiring lives: `c1`, `c2`, … */
  readonly id: string
  /** Names of the terminals that it hangs on: one of an element, two of a wire. */
  readonly terminals: readonly string[]
  /** The kind of element, or `wire`. */
  readonly kind: string
  /** For people: what it is and its figures. */
  readonly description: string
  /** All settings of the element, as they are now. */
  readonly settings: Settings
  /** Changes settings while it is connected, at once; also of an element whose kind is not known here. Throws `RangeError` that names what does not fit; then nothing has changed. */
  set(change: Change): void
  /** Takes it away; once is enough. */
  disconnect(): void
}
