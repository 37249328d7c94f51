import type { Band } from '../circuit/events/band.ts'
import { NANOSECOND_MS, type TracePoint } from './points.ts'

/** Levels of a digital input: low below, high above, in between as before. */
export const DIGITAL_BAND: Band = { lowVolts: 1.5, highVolts: 2.5 }
/** Digits after the decimal point of volts: microvolts. */
const DIGITS = 6

/** The signals of one pin in a file: its voltage, and its level as a digital input reads it. */
export class PinSignals {
  volts = 0
  isHigh = false
  /** Whether the present row changes them. */
  hasNewVolts = false
  hasNewLevel = false
  #pointMs = Number.NaN
  #pointVolts = Number.NaN
  #writtenNs = Number.POSITIVE_INFINITY

  /** Applies a change that has been reached. */
  apply({ volts, isHigh }: PinChange): void {
    if (volts !== undefined) {
      this.volts = volts
      this.hasNewVolts = true
    }
    if (isHigh !== undefined) {
      this.isHigh = isHigh
      this.hasNewLevel = true
    }
  }

  /** Ends a row. */
  endRow(): void {
    this.hasNewVolts = false
    this.hasNewLevel = false
  }

  /**
   * Changes of the level, and the points that straight lines must connect: before each jump, the voltage is repeated. Apply each change before
   * you take the next.
   */
  *changes(points: Iterable<TracePoint>, originMs: number): Generator<PinChange> {
    for (const { atMs, volts, isLine } of points) {
      const atNs = nanoseconds(atMs, originMs)
      const shown = Number(volts.toFixed(DIGITS))
      const isHigh = this.#levelAt(volts)
      const isNew = shown !== this.volts || Number.isNaN(this.#pointMs)
      const heldNs = isLine ? nanoseconds(this.#pointMs, originMs) : atNs - 1
      if (isNew && heldNs > this.#writtenNs) yield { atNs: heldNs, volts: this.volts }
      if (isHigh !== this.isHigh)
        yield { atNs: isLine ? nanoseconds(this.#crossing(atMs, volts, isHigh), originMs) : atNs, isHigh }
      if (isNew) {
        this.#writtenNs = atNs
        yield { atNs, volts: shown }
      }
      this.#pointMs = atMs
      this.#pointVolts = volts
    }
  }

  #levelAt(volts: number): boolean {
    return this.isHigh ? volts >= DIGITAL_BAND.lowVolts : volts > DIGITAL_BAND.highVolts
  }

  /** When the line from the last point crosses the bound of the new level. */
  #crossing(atMs: number, volts: number, isHigh: boolean): number {
    const bound = isHigh ? DIGITAL_BAND.highVolts : DIGITAL_BAND.lowVolts
    const share = (bound - this.#pointVolts) / (volts - this.#pointVolts)
    return this.#pointMs + Math.min(Math.max(share, 0), 1) * (atMs - this.#pointMs)
  }
}

/** A change of one pin's signals. */
export interface PinChange {
  /** Nanoseconds since the origin of the file. */
  readonly atNs: number
  readonly volts?: number
  readonly isHigh?: boolean
}

export function nanoseconds(atMs: number, originMs: number): number {
  return Math.round((atMs - originMs) / NANOSECOND_MS)
}

/** Merges the changes of several pins: returns each moment with a change, in order. Until the next one, the signals have its values. */
export function* momentsOf(signals: readonly PinSignals[], changes: readonly Iterator<PinChange>[]): Generator<number> {
  const heads = changes.map(next)
  for (;;) {
    let atNs = Number.POSITIVE_INFINITY
    for (const head of heads) if (head !== undefined && head.atNs < atNs) atNs = head.atNs
    if (atNs === Number.POSITIVE_INFINITY) return
    for (const [index, iterator] of changes.entries()) {
      const pin = signals[index]
      for (let head = heads[index]; head !== undefined && head.atNs <= atNs; head = heads[index]) {
        pin?.apply(head)
        heads[index] = next(iterator)
      }
    }
    yield atNs
    for (const pin of signals) pin.endRow()
  }
}

function next(changes: Iterator<PinChange>): PinChange | undefined {
  const { done, value } = changes.next() as IteratorResult<PinChange, undefined>
  return done === true ? undefined : value
}
