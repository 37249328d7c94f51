import { type Clock, isRecord } from '@slotwire/core'
import type { SlotApi } from '@slotwire/driver'

const HOUR_MS = 3_600_000
/** The newest rows stay as they came. Of older ones the lowest and the highest value of each time so long stay, in milliseconds. */
const FINE_ROWS = 600
const THIN_MS = 2000
/** Rows that have room: at first, and at most. The default device has 12 reads with 62 numbers: 1.6 MB. */
const FIRST_ROWS = 32
const MAX_ROWS = 4440
/** A reading that comes later than `LATE` times the time between the two before, within these bounds, begins after a gap. */
const LATE = 2.5
const MIN_LATE_MS = 3000
const MAX_LATE_MS = 90_000
/** Digits of a 32-bit number that are true. */
const DIGITS = 7

/** Numbers over time: a value of each series for each row, null where it is not known. */
export interface Course {
  /** Age of each row in milliseconds, the oldest first. */
  readonly ago_milliseconds: readonly number[]
  /** Other fields say which number of the reply it is. */
  readonly series: readonly { readonly values: readonly (number | null)[] }[]
}

/** The rows of one read. A row without any number is a gap. */
class KeptCourse {
  #times = new Float64Array(FIRST_ROWS)
  readonly #columns = new Map<string, Float32Array>()
  #length = 0
  #session = ''
  #rhythmMs = 0
  /** Time of the last reading. */
  readMs = Number.NaN

  get bytes(): number {
    return [this.#times, ...this.#columns.values()].reduce((sum, { byteLength }) => sum + byteLength, 0)
  }

  keep(atMs: number, session: string, numbers: ReadonlyMap<string, number>): void {
    this.#endIfLate(atMs)
    if (session !== this.#session) this.#end()
    this.#session = session
    this.#rhythmMs = atMs - this.readMs
    this.readMs = atMs
    this.#add(atMs, numbers)
  }

  of(nowMs: number, sinceMs: number): Course {
    this.#endIfLate(nowMs)
    const times = this.#times.subarray(0, this.#length)
    const from = times.findIndex((atMs) => nowMs - atMs <= sinceMs)
    const shown = from < 0 ? times.subarray(0, 0) : times.subarray(from)
    const series = [...this.#columns].map(([name, column]) => {
      const values = Array.from(column.subarray(from, from + shown.length), shownNumber)
      return { ...(JSON.parse(name) as object), values }
    })
    return {
      ago_milliseconds: Array.from(shown, (atMs) => Math.round(nowMs - atMs)),
      series: series.filter(({ values }) => values.some((value) => value !== null)),
    }
  }

  /** Nothing is known from the last reading to one that is late. */
  #endIfLate(nowMs: number): void {
    if (nowMs - this.readMs > Math.min(MAX_LATE_MS, Math.max(MIN_LATE_MS, this.#rhythmMs * LATE || 0))) this.#end()
  }

  #end(): void {
    const isGap = [...this.#columns.values()].every((column) => Number.isNaN(column[this.#length - 1]))
    if (!isGap) this.#add(this.readMs + 1, new Map())
  }

  #add(atMs: number, numbers: ReadonlyMap<string, number>): void {
    if (this.#length === this.#times.length) this.#makeRoom(atMs)
    for (const name of numbers.keys())
      if (!this.#columns.has(name)) this.#columns.set(name, new Float32Array(this.#times.length).fill(Number.NaN))
    this.#times[this.#length] = atMs
    for (const [name, column] of this.#columns) column[this.#length] = numbers.get(name) ?? Number.NaN
    this.#length++
  }

  /** Forgets rows that are too old, thins out those that are not new, and makes the arrays longer if that is not enough. */
  #makeRoom(nowMs: number): void {
    const times = this.#times
    const spans: Span[] = []
    for (const [row, atMs] of times.entries()) {
      if (nowMs - atMs > HOUR_MS) continue
      const last = spans.at(-1)
      const isThin = last !== undefined && row < times.length - FINE_ROWS
      if (isThin && Math.floor((times[last.from] ?? 0) / THIN_MS) === Math.floor(atMs / THIN_MS)) last.to = row
      else spans.push({ from: row, to: row })
    }
    const kept = spans.reduce((sum, { from, to }) => sum + (to > from ? 2 : 1), 0)
    const room = Math.min(MAX_ROWS, Math.max(FIRST_ROWS, kept * 2))
    const isEnough = room === times.length
    this.#times = squeezed(times, isEnough ? times : new Float64Array(room), spans, (values) => [values[0], values.at(-1)])
    this.#length = kept
    for (const [name, column] of this.#columns) {
      const values = squeezed(column, isEnough ? column : new Float32Array(room), spans, extremes)
      if (values.subarray(0, kept).every(Number.isNaN)) this.#columns.delete(name)
      else this.#columns.set(name, values)
    }
  }
}

/** Rows from one to another, both included. */
interface Span {
  readonly from: number
  to: number
}

/** What stays of a column, in `into`, which may be the column itself: of spans with more than two rows what `pick` says. */
function squeezed<Column extends Float32Array | Float64Array>(
  column: Column,
  into: Column,
  spans: readonly Span[],
  pick: (values: Column) => readonly (number | undefined)[],
): Column {
  let row = 0
  for (const { from, to } of spans) {
    const [first, second] = to - from < 2 ? [column[from], column[to]] : pick(column.subarray(from, to + 1) as Column)
    into[row++] = first ?? Number.NaN
    if (to > from) into[row++] = second ?? Number.NaN
  }
  return into
}

/** The lowest and the highest of values, in their order. If one is not known: a value, then a gap. */
function extremes(values: Float32Array): readonly (number | undefined)[] {
  const known = values.filter((value) => !Number.isNaN(value))
  if (known.length < values.length) return [known[0]]
  const [low, high] = [Math.min(...known), Math.max(...known)]
  return known.indexOf(low) < known.indexOf(high) ? [low, high] : [high, low]
}

function shownNumber(value: number): number | null {
  if (Number.isNaN(value)) return null
  return Number.isInteger(value) ? value : Number(value.toPrecision(DIGITS))
}

/** The numbers that modules answered in the last hour, from readings of others: it reads nothing, and has no timer. */
export class Past {
  readonly #courses = new Map<string, KeptCourse>()

  /** The clock of clients: a twin's own time may stand still. */
  constructor(private readonly clock: Clock) {}

  /** Memory of all numbers and times. */
  get bytes(): number {
    return [...this.#courses.values()].reduce((sum, { bytes }) => sum + bytes, 0)
  }

  keep({ slot, vendorProductId, session }: SlotApi, endpoint: string, reply: unknown): void {
    const now = this.clock.now()
    const place = `${slot} ${vendorProductId} ${endpoint}`
    const course = this.#courses.get(place) ?? new KeptCourse()
    course.keep(now, session, numbersIn(reply))
    if (this.#courses.has(place)) return
    // Modules that are gone.
    for (const [other, { readMs }] of this.#courses) if (now - readMs > HOUR_MS) this.#courses.delete(other)
    this.#courses.set(place, course)
  }

  /** The rows of the last `sinceMs`. */
  of({ slot, vendorProductId }: Pick<SlotApi, 'slot' | 'vendorProductId'>, endpoint: string, sinceMs: number): Course {
    const course = this.#courses.get(`${slot} ${vendorProductId} ${endpoint}`) ?? new KeptCourse()
    return course.of(this.clock.now(), sinceMs)
  }
}

/** The numbers of a reply by their names: the field, or for a `value` in a list the other fields of its item, as JSON. */
function numbersIn(reply: unknown): ReadonlyMap<string, number> {
  const numbers = new Map<string, number>()
  for (const [field, each] of isRecord(reply) ? Object.entries(reply) : []) {
    if (typeof each === 'number') numbers.set(JSON.stringify({ field }), each)
    for (const { value, ...of } of Array.isArray(each) ? each.filter(isRecord) : [])
      if (typeof value === 'number') numbers.set(JSON.stringify(of), value)
  }
  return numbers
}
