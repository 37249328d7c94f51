/** Newest points as they came: five minutes at 20 a second. */
const FINE_POINTS = 6000
/** Seconds with their lowest and highest values: an hour. */
const COARSE_POINTS = 3600
const SECOND_MS = 1000
/** A value that comes later than so many intervals was the same until one interval before. */
const LATE = 1.5

/** Points to draw: times in seconds since 1970, and the values of each series; null: none. */
export interface Points {
  readonly times: readonly number[]
  readonly series: readonly (readonly (number | null)[])[]
}

/** A ring of points with a fixed size: times in milliseconds, and one value for each series, NaN for none. */
class Ring {
  readonly times: Float64Array
  readonly values: readonly Float32Array[]
  #first = 0
  length = 0

  constructor(
    private readonly size: number,
    series: number,
  ) {
    this.times = new Float64Array(size)
    this.values = Array.from({ length: series }, () => new Float32Array(size))
  }

  /** Index of the point that is `back` before the newest. */
  at(back: number): number {
    return (this.#first + this.length - 1 - back) % this.size
  }

  push(atMs: number, values: ArrayLike<number>): void {
    if (this.length < this.size) this.length++
    else this.#first = (this.#first + 1) % this.size
    const index = this.at(0)
    this.times[index] = atMs
    for (const [number, series] of this.values.entries()) series[index] = values[number] ?? Number.NaN
  }
}

/** The course of some values over the last hour, in memory of a fixed size. Times are dates in milliseconds. */
export class Trace {
  readonly #fine: Ring
  /** Lowest values, then highest values. */
  readonly #coarse: Ring
  readonly #last: number[]
  #lastMs = Number.NaN

  constructor(series: number) {
    this.#fine = new Ring(FINE_POINTS, series)
    this.#coarse = new Ring(COARSE_POINTS, series * 2)
    this.#last = Array<number>(series).fill(Number.NaN)
  }

  /** Adds values that were read every `everyMs` and did not change since the last point. NaN: not known. */
  push(atMs: number, values: readonly number[], everyMs: number): void {
    if (atMs <= this.#lastMs) return
    if (atMs - this.#lastMs > everyMs * LATE) this.#add(Math.max(atMs - everyMs, this.#lastMs + 1))
    for (const number of this.#last.keys()) this.#last[number] = values[number] ?? Number.NaN
    this.#add(atMs)
  }

  /** From now on the values are not known, until the next point. */
  interrupt(atMs: number): void {
    this.push(atMs, [], 1)
  }

  #add(atMs: number): void {
    this.#fine.push(atMs, this.#last)
    const from = Number.isNaN(this.#lastMs) ? atMs : Math.max(this.#lastMs, atMs - COARSE_POINTS * SECOND_MS)
    for (let second = Math.floor(from / SECOND_MS); second <= Math.floor(atMs / SECOND_MS); second++)
      this.#widen(second * SECOND_MS)
    this.#lastMs = atMs
  }

  /** Takes the last values into a second. */
  #widen(second: number): void {
    const coarse = this.#coarse
    if (coarse.length === 0 || (coarse.times[coarse.at(0)] ?? 0) < second) {
      coarse.push(second, [...this.#last, ...this.#last])
      return
    }
    const index = coarse.at(0)
    for (const [number, value] of this.#last.entries()) {
      const [low, high] = [coarse.values[number], coarse.values[number + this.#last.length]]
      if (low === undefined || high === undefined || Number.isNaN(value)) continue
      // A comparison with NaN is false.
      if (!((low[index] ?? Number.NaN) <= value)) low[index] = value
      if (!((high[index] ?? Number.NaN) >= value)) high[index] = value
    }
  }

  /** The points from a date to `toMs`, where the last values still hold. */
  points(fromMs: number, toMs: number): Points {
    const fine = this.#fine
    const reaches = fine.length < FINE_POINTS || (fine.times[fine.at(fine.length - 1)] ?? 0) <= fromMs
    const times: number[] = []
    const series = this.#last.map((): (number | null)[] => [])
    const add = (atMs: number, valueOf: (number: number) => number | undefined): void => {
      times.push(atMs / SECOND_MS)
      for (const [number, list] of series.entries()) {
        const value = valueOf(number) ?? Number.NaN
        list.push(Number.isNaN(value) ? null : value)
      }
    }
    if (reaches)
      for (let back = indexBefore(fine, fromMs); back >= 0; back--) {
        const index = fine.at(back)
        add(fine.times[index] ?? 0, (number) => fine.values[number]?.[index])
      }
    else
      for (let back = indexBefore(this.#coarse, fromMs); back >= 0; back--) {
        const index = this.#coarse.at(back)
        const second = this.#coarse.times[index] ?? 0
        add(second, (number) => this.#coarse.values[number]?.[index])
        add(second + SECOND_MS / 2, (number) => this.#coarse.values[number + series.length]?.[index])
      }
    const last = times.at(-1)
    if (last !== undefined && toMs / SECOND_MS > last) add(toMs, (number) => this.#last[number])
    return { times, series }
  }
}

/** How far back the last point at or before a date is: the line begins outside the picture. */
function indexBefore(ring: Ring, fromMs: number): number {
  let back = 0
  while (back < ring.length - 1 && (ring.times[ring.at(back)] ?? 0) > fromMs) back++
  return ring.length === 0 ? -1 : back
}
