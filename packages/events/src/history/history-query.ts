import { coreErrors, enumeration, fromIsoTime, isoTime, meant, type SlotwireError, shown } from '@slotwire/core'
import { type Position, parsePosition } from '../position.ts'
import { type RecordFilter, recordKinds } from '../record.ts'
import { storedKinds } from './stored-line.ts'

const DEFAULT_LIMIT = 100
const MOST_RECORDS = 1000
/** Highest number of a slot. */
const HIGHEST_SLOT = 7
const TIME = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/
const NAMES = ['since', 'kind', 'slot', 'limit'] as const

/** Which page of the history a client asks for. */
export interface HistoryQuery {
  /** Records after this position. */
  readonly after?: Position
  /** Records since this time, as records have it. */
  readonly since?: string
  readonly wants: RecordFilter
  /** Kinds that `wants` accepts, as lines have them; undefined: all. */
  readonly marks: readonly string[] | undefined
  readonly limit: number
}

/** Reads the query of a request. Throws `invalidField` with the bounds. */
export function parseHistoryQuery(url: string): HistoryQuery {
  const [, query = ''] = /\?([^#]*)/.exec(url) ?? []
  const given = new URLSearchParams(query)
  for (const name of given.keys()) {
    if (!NAMES.some((known) => known === name)) throw invalid(`the parameter ${shown(name)} is unknown: ${meant(name, NAMES)}`)
    if (given.getAll(name).length > 1) throw invalid(`${name} is given twice: give it once`)
  }
  const list = (name: string): readonly string[] => given.get(name)?.split(',') ?? []
  const kinds = list('kind').map(kindOf)
  const slots = list('slot').map((text) => numberOf('slot', text, 0, HIGHEST_SLOT))
  const limit = given.get('limit')
  return {
    ...sinceOf(given.get('since')),
    wants: ({ kind, slot }) =>
      kind === 'gap' ||
      ((kinds.length === 0 || kinds.includes(kind)) && (slots.length === 0 || (slot !== undefined && slots.includes(slot)))),
    marks: kinds.length === 0 ? undefined : [...kinds, 'gap'].map((kind) => `"kind":"${kind}"`),
    limit: limit === null ? DEFAULT_LIMIT : numberOf('limit', limit, 1, MOST_RECORDS),
  }
}

function sinceOf(text: string | null): Pick<HistoryQuery, 'after' | 'since'> {
  if (text === null) return {}
  const after = parsePosition(text)
  if (after !== undefined) return { after }
  // A plus sign that is not encoded arrives as a space.
  const time = text.replace(/ (?=\d\d:\d\d$)/, '+')
  const ms = TIME.test(time) ? fromIsoTime(time) : Number.NaN
  if (!Number.isNaN(ms)) return { since: isoTime(ms) }
  throw invalid(`since is ${shown(text)}: write the id of a record, as 7-1234, or a time, as 2026-11-23T19:00:00Z`)
}

function kindOf(text: string) {
  const kind = recordKinds.find((known) => known === text)
  if (kind !== undefined && storedKinds.has(kind)) return kind
  const stored = recordKinds.filter((known) => storedKinds.has(known))
  if (kind !== undefined) throw invalid(`kind ${kind} is not in the history: use ${enumeration(stored)}, or the stream`)
  throw invalid(`kind has ${shown(text)}, which is no kind: ${meant(text, stored)}`)
}

function numberOf(name: string, text: string, min: number, max: number): number {
  const value = Number(text)
  if (!/^\d{1,9}$/.test(text) || value < min || value > max) throw invalid(`${name} is ${shown(text)}: write ${min}…${max}`)
  return value
}

function invalid(reason: string): SlotwireError {
  return coreErrors.invalidField({ reason })
}
