import { type Contract, comparePositions, type Endpoint, formatPosition, type Position } from '@slotwire/contract'
import { coreErrors, meant, SLOT_COUNT, type SlotwireError, shown } from '@slotwire/core'
import type { Caller } from '@slotwire/service'
import { placesOf, type RecordFilter, type RecordKind } from './record.ts'

/** Most values of a list: so many may be watched, and there are fewer of all others. */
const MAX_ITEMS = 32
/** Highest number of a slot. */
export const MAX_SLOT = SLOT_COUNT - 1

/** The query of a request. All methods throw `invalidField` with the bounds. */
export class Query {
  readonly #parameters: URLSearchParams

  /** Refuses parameters that the endpoint does not have. */
  constructor(url: string, { query: known = {} }: Pick<Endpoint, 'query'>) {
    const [, query = ''] = /\?([^#]*)/.exec(url) ?? []
    this.#parameters = new URLSearchParams(query)
    const unknown = [...this.#parameters.keys()].find((name) => !Object.hasOwn(known, name))
    if (unknown !== undefined) throw invalid(`the parameter ${shown(unknown)} is unknown: ${meant(unknown, Object.keys(known))}`)
  }

  /** Undefined: not given. */
  one(name: string): string | undefined {
    const [value, second] = this.#parameters.getAll(name)
    if (second !== undefined) throw invalid(`${name} is given twice: give it once`)
    return value
  }

  /** The items of all values, which are separated by commas. Not more are read than it may have. */
  list(name: string): readonly string[] {
    const values = this.#parameters.getAll(name)
    const items = values.length === 0 ? [] : values.join(',').split(',', MAX_ITEMS + 1)
    if (items.length > MAX_ITEMS) throw invalid(`${name} has too many values: at most ${MAX_ITEMS}`)
    return items
  }

  slots(): readonly number[] {
    return [...new Set(this.list('slots').map((text) => slotOf('slots', text)))]
  }

  kinds(known: readonly RecordKind[]): readonly RecordKind[] {
    const kinds = this.list('kinds').map((text) => {
      const kind = known.find((each) => each === text)
      if (kind === undefined) throw invalid(`kinds has ${shown(text)}, which is no kind: ${meant(text, known)}`)
      return kind
    })
    return [...new Set(kinds)]
  }
}

/** Records of these kinds and slots; without any, of all. */
export function filterBy(kinds: readonly string[], slots: readonly number[]): RecordFilter {
  return (record) =>
    (kinds.length === 0 || kinds.includes(record.kind)) &&
    (slots.length === 0 || placesOf(record).some(({ slot }) => slot !== undefined && slots.includes(slot)))
}

export function slotOf(name: string, text: string): number {
  return wholeNumberOf(name, text, 0, MAX_SLOT)
}

export function wholeNumberOf(name: string, text: string, min: number, max: number): number {
  const value = Number(text)
  if (!/^\d{1,9}$/.test(text) || value < min || value > max) throw invalid(`${name} is ${shown(text)}: write ${min}…${max}`)
  return value
}

const DURATION = /^(\d{1,9})(ms|s|m|min|h)$/
const UNITS_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, min: 60_000, h: 3_600_000 }

/** Milliseconds of a time as in `250ms`. */
export function durationOf(name: string, text: string, min: number, max: number): number {
  const [, figure, unit = ''] = DURATION.exec(text) ?? []
  const ms = Number(figure) * (UNITS_MS[unit] ?? 0)
  if (figure === undefined || ms < min || ms > max) {
    throw invalid(`${name} is ${shown(text)}: write a time from ${durationText(min)} to ${durationText(max)}`)
  }
  return ms
}

function durationText(ms: number): string {
  const unit = ['h', 's'].find((each) => ms > 0 && ms % (UNITS_MS[each] as number) === 0) ?? 'ms'
  return `${ms / (UNITS_MS[unit] as number)}${unit}`
}

export function invalid(reason: string): SlotwireError {
  return coreErrors.invalidField({ reason })
}

/** Records that a reader may have wanted, and that are lost. */
export interface Gap {
  /** None of them is before this id, */
  readonly from: string
  /** and none after this. */
  readonly to: string
  /** How many at most; null: unknown, as an earlier process was killed or its files are gone. */
  readonly missing: number | null
}

/** Joins losses to one gap. */
export class GapTally {
  #to: Position | undefined
  #missing: number | null = 0

  /** Everything before this position was read. */
  constructor(private readonly after: Position) {}

  /** At most `missing` records are lost, the last of them not after `to`. */
  add(to: Position, missing: number | null): void {
    if (this.#to === undefined || comparePositions(to, this.#to) > 0) this.#to = to
    this.#missing = missing === null || this.#missing === null ? null : this.#missing + missing
  }

  /** Undefined: nothing is lost. */
  get gap(): Gap | undefined {
    if (this.#to === undefined) return undefined
    const { boot, sequence } = this.after
    return { from: formatPosition({ boot, sequence: sequence + 1 }), to: formatPosition(this.#to), missing: this.#missing }
  }
}

/** Whether a caller may learn of a record, or of a module: its token grants the service. All callers see records of the whole device. */
export function seesService(caller: Caller | undefined, service: string | undefined): boolean {
  return service === undefined || caller?.sees === undefined || caller.sees(`/api/${service}/1.0`)
}

/** The error of a caller who may not use a service: names those that it may. */
export function serviceNotGranted(caller: Caller | undefined, contracts: readonly Contract[]): SlotwireError {
  const services = contracts.map(({ service }) => service).filter((service) => seesService(caller, service))
  return coreErrors.serviceNotGranted({ services: services.join(', ') })
}
