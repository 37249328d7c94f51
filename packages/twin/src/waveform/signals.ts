import type { Band } from '../circuit/level/band.ts'
import { NANOSECOND_MS, type TracePoint } from './points.ts'

/** Levels of a digital input: low below, high above, in between as before. */
export const DIGITAL_BAND: Band = { lowVolts: 1.5, highVolts: 2.5 }
/** Digits after the decimal point of volts: microvolts. */
const DIGITS = 6

/** The signals of one pin in a file: its voltage, and its level as a digital input reads it. */
export class PinSignals {
  volts = 0
  isHigh = false
  #pointMs = Number.NaN
  #pointVolts = Number.NaN
  #writtenNs = Number.POSITIVE_INFINITY

  /** Applies a change that has been reached. */
  apply({ volts = this.volts, isHigh = this.isHigh }: PinChange): void {
    this.volts = volts
    this.isHigh = isHigh
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

/** All changes of one moment. */
export interface SignalRow {
  readonly atNs: number
  /** Indexes of the pins whose level or voltage changed. */
  readonly levels: ReadonlySet<number>
  readonly volts: ReadonlySet<number>
}

export function nanoseconds(atMs: number, originMs: number): number {
  return Math.round((atMs - originMs) / NANOSECOND_MS)
}

/** Merges the changes of several pins in order of time. When a row is returned, the signals have its values. */
export function* rowsOf(signals: readonly PinSignals[], changes: readonly Iterator<PinChange>[]): Generator<SignalRow> {
  const heads = changes.map((each) => next(each))
  for (;;) {
    let atNs = Number.POSITIVE_INFINITY
    for (const head of heads) if (head !== undefined && head.atNs < atNs) atNs = head.atNs
    if (atNs === Number.POSITIVE_INFINITY) return
    const [levels, volts] = [new Set<number>(), new Set<number>()]
    heads.forEach((first, index) => {
      const iterator = changes[index]
      let head = first
      while (head !== undefined && head.atNs <= atNs && iterator !== undefined) {
        signals[index]?.apply(head)
        if (head.isHigh === undefined) volts.add(index)
        else levels.add(index)
        head = next(iterator)
      }
      heads[index] = head
    })
    yield { atNs, levels, volts }
  }
}

function next(changes: Iterator<PinChange>): PinChange | undefined {
  const { done, value } = changes.next() as IteratorResult<PinChange, undefined>
  return done === true ? undefined : value
}
