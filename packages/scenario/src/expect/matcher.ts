import { decimal, readQuantity, wordOf } from '@slotwire/contract'
import { isRecord, shown } from '@slotwire/core'
import type { MapTree, Tree } from '@slotwire/storage'
import { type FieldType, textType } from '../read/field.ts'
import { type Json, jsonOf, shownJson } from '../read/json.ts'
import type { ParseState } from '../read/parse-state.ts'
import type { Status } from '../read/rest-types.ts'
import type { RequestOutcome } from '../run/run.ts'

/** The first difference: its path below the body, the expected and the actual value. */
export interface Mismatch {
  readonly path: string
  readonly expected: string
  readonly seen: string
}

/** Checks a value against an expectation. */
export interface Matcher {
  /** For people. */
  readonly wording: string
  /** The first difference; undefined if the value matches. The value `undefined` means missing. */
  readonly mismatch: (value: unknown, path?: string) => Mismatch | undefined
}

const FIGURE = /^[+-]?(?:\d+(?:\.\d+)?|\.\d+)$/

/** Describes the possible forms of an expected value. */
export const MATCHER_WORDING = 'a value, a range (4.9..5.2, 10.., ..10), ">= 10", not 0, any, absent'

/** Expected value: matches parts of maps and lists, and numbers exactly or by range. */
export const matcherType: FieldType<Matcher> = { wording: MATCHER_WORDING, read: (tree, state) => matcherOf(tree, state) }

function matcherOf(tree: Tree, state: ParseState): Matcher | undefined {
  switch (tree.kind) {
    case 'nothing':
      return exactly(null)
    case 'text':
      return (
        ofText(tree.text, tree.isQuoted) ??
        (/^not \S+$/.test(tree.text) && !tree.isQuoted ? notOf(tree, state) : rangeIn(tree, state))
      )
    case 'list':
      return listOf(tree.items, state)
    case 'map':
      return isAboutLists(tree) ? aboutList(tree, state) : mapOf(tree, state)
  }
}

/** Matches a range, otherwise exactly the text. Quoted text can only be a comparison, because `..` may be part of a text. */
function rangeIn(tree: Tree & { kind: 'text' }, state: ParseState): Matcher | undefined {
  const { text, isQuoted } = tree
  const range = isQuoted && !/^[<>]/.test(text) ? undefined : readRange(text, numberIn)
  if (range === undefined || 'invalidNumber' in range) return exactly(jsonOf(tree))
  if ('invalidRange' in range) return state.fail(tree, `${shown(text)} ${range.invalidRange}`)
  return simple(text.replace(/^([<>]=?) ?/, '$1 '), (value) => typeof value === 'number' && range.includes(value))
}

const numberIn = (text: string): number | undefined => (FIGURE.test(text) ? Number(text) : undefined)

function ofText(text: string, isQuoted: boolean): Matcher | undefined {
  if (isQuoted) return undefined
  if (text === 'any') return simple('any value', (value) => value !== undefined)
  return text === 'absent' ? simple('nothing', (value) => value === undefined) : undefined
}

function notOf(tree: Tree & { kind: 'text' }, state: ParseState): Matcher | undefined {
  const other = tree.text.slice('not '.length)
  const range = readRange(other, numberIn)
  if (ofText(other, false) || (range !== undefined && !('invalidNumber' in range)))
    return state.fail(tree, `${shown(tree.text)} excludes one value only, as not 0: write a range, any or absent without not`)
  const unwanted = other === 'null' ? null : jsonOf({ ...tree, text: other })
  return simple(`not ${shownJson(unwanted)}`, (value) => value !== undefined && value !== unwanted)
}

/** A matcher for a single value. */
function simple(wording: string, fits: (value: unknown) => boolean): Matcher {
  return { wording, mismatch: (value, path = '') => (fits(value) ? undefined : { path, expected: wording, seen: seenOf(value) }) }
}

export function exactly(wanted: Json): Matcher {
  return simple(shownJson(wanted), (value) => value === wanted)
}

function seenOf(value: unknown): string {
  return value === undefined ? 'nothing' : shownJson(value)
}

/** Matches the named fields of a map; ignores others. */
function mapOf(tree: MapTree, state: ParseState): Matcher | undefined {
  const faultsBefore = state.faults.length
  const fields = tree.entries.map(({ key, value }) => [key, matcherOf(value, state)] as const)
  if (state.faults.length > faultsBefore) return undefined
  const wording = `{ ${fields.map(([key, matcher]) => `${key}: ${matcher?.wording ?? ''}`).join(', ')} }`
  return {
    wording,
    mismatch: (value, path = '') => {
      if (!isRecord(value)) return { path, expected: wording, seen: seenOf(value) }
      for (const [key, matcher] of fields) {
        const difference = matcher?.mismatch(
          Object.hasOwn(value, key) ? value[key] : undefined,
          path === '' ? key : `${path}.${key}`,
        )
        if (difference !== undefined) return difference
      }
      return undefined
    },
  }
}

/** Matches the named items of a list in this order, ignoring others between them. An empty list matches only an empty list. */
function listOf(items: readonly Tree[], state: ParseState): Matcher | undefined {
  const faultsBefore = state.faults.length
  const wanted = items.map((item) => matcherOf(item, state)).filter((matcher) => matcher !== undefined)
  if (state.faults.length > faultsBefore) return undefined
  const wording = `[${wanted.map((matcher) => matcher.wording).join(', ')}]`
  return {
    wording,
    mismatch: (value, path = '') => {
      if (!Array.isArray(value)) return { path, expected: wording, seen: seenOf(value) }
      const list: readonly unknown[] = value
      if (wanted.length === 0) return list.length === 0 ? undefined : { path, expected: 'an empty list', seen: seenOf(value) }
      let from = 0
      for (const matcher of wanted) {
        const at = list.findIndex((item, index) => index >= from && matcher.mismatch(item) === undefined)
        if (at < 0) {
          const behind = from === 0 ? '' : ' after the items before it'
          return { path, expected: `an item ${matcher.wording}${behind}`, seen: seenOf(value) }
        }
        from = at + 1
      }
      return undefined
    },
  }
}

const ABOUT_LISTS = ['count', 'has_no']

function isAboutLists({ entries }: MapTree): boolean {
  return entries.length > 0 && entries.every(({ key }) => ABOUT_LISTS.includes(key))
}

/** `{ count: 3 }` matches the number of items, `{ has_no: … }` a list without such an item. */
function aboutList(tree: MapTree, state: ParseState): Matcher | undefined {
  const faultsBefore = state.faults.length
  const parts = tree.entries.map(({ key, value }) => [key, matcherOf(value, state)] as const)
  if (state.faults.length > faultsBefore) return undefined
  const wording = parts
    .map(([key, matcher]) => (key === 'count' ? `${matcher?.wording ?? ''} items` : `no item ${matcher?.wording ?? ''}`))
    .join(', ')
  return simple(`a list of ${wording}`, (value) => {
    if (!Array.isArray(value)) return false
    const list: readonly unknown[] = value
    return parts.every(([key, matcher]) =>
      key === 'count'
        ? matcher?.mismatch(list.length) === undefined
        : list.every((item) => matcher?.mismatch(item) !== undefined),
    )
  })
}

/** Expected status and body of an answer. */
export interface ExpectedAnswer {
  /** Default 200. */
  readonly status: Status | undefined
  readonly body: Matcher | undefined
}

/** The first difference between an answer and the expectation; undefined if the answer matches. */
export function answerMismatch(outcome: RequestOutcome, { status = 200, body }: ExpectedAnswer): Mismatch | undefined {
  if ('refused' in outcome)
    return status === 'none' ? undefined : { path: 'status', expected: String(status), seen: `no answer (${outcome.refused})` }
  const isExpected = status === 'any' || status === outcome.status
  if (!isExpected) {
    const expected = status === 'none' ? 'no answer at all' : String(status)
    return { path: 'status', expected, seen: `${outcome.status} ${shownJson(outcome.body)}` }
  }
  return body?.mismatch(outcome.body)
}

/** A measured value in `unit`: matches within `tolerance`, or a range. */
export function measured(unit: string, tolerance: number): FieldType<Matcher> {
  const wording = `a number (tolerance ${tolerance} ${unit}), or a range, as in 4.9..5.2, 10.., ..10, ">= 10"`
  return textType(wording, (text, name) => {
    const includes = includedBy(text, unit, tolerance, name)
    const wanted = `${text}${/\d$/.test(text) ? ` ${unit}` : ''}`
    return {
      wording: wanted,
      mismatch: (value, path = '') => {
        if (typeof value === 'number' && includes(value)) return undefined
        return { path, expected: wanted, seen: typeof value === 'number' ? `${round(value)} ${unit}` : 'nothing' }
      },
    }
  })
}

/** A range as others write it: `4.9-5.1`, `4.9 to 5.1`. */
const OTHER_RANGE = /^([\d.]+ ?[^\d\s.–-]*?) ?(?:-|–|…|\.\.\.|to) ?(\d.*)$/

const SHOWN_DIGITS = 6

function round(value: number): number {
  return Number(value.toPrecision(SHOWN_DIGITS))
}

/** The check for a value or a range. Throws `RangeError`. */
function includedBy(text: string, unit: string, tolerance: number, name: string): (value: number) => boolean {
  const [, low, high] = OTHER_RANGE.exec(text) ?? []
  if (low !== undefined && high !== undefined)
    throw new RangeError(`${name}: ${shown(text)} is not a range: write ${shown(`${low}..${high}`)}`)
  const range = readRange(text, (figure) => readQuantity(figure, unit))
  if (range !== undefined && 'includes' in range) return range.includes
  if (range !== undefined && 'invalidRange' in range) throw new RangeError(`${name}: ${shown(text)} ${range.invalidRange}`)
  const figure = wordOf(decimal({ unit })).read(range?.invalidNumber ?? text, name)
  return (value) => Math.abs(value - figure) <= tolerance
}

/** Result of parsing a range: `4.9..5.2`, `10..`, `..10`, `>= 10`, `> 10`, `<= 10`, `< 10`. */
type RangeText =
  | { readonly includes: (value: number) => boolean }
  /** One of its ends is not a valid number. */
  | { readonly invalidNumber: string }
  /** Its ends are valid, but the range is not. */
  | { readonly invalidRange: string }

const COMPARISON = /^(>=|<=|>|<) ?(.+)$/
const COMPARED: Readonly<Record<string, (value: number, limit: number) => boolean>> = {
  '>=': (value, limit) => value >= limit,
  '<=': (value, limit) => value <= limit,
  '>': (value, limit) => value > limit,
  '<': (value, limit) => value < limit,
}

/** Parses a range with `parseNumber` for its ends; undefined if the text does not look like a range. */
function readRange(text: string, parseNumber: (text: string) => number | undefined): RangeText | undefined {
  const [, sign = '', limit] = COMPARISON.exec(text) ?? []
  const compared = COMPARED[sign]
  if (compared !== undefined && limit !== undefined) {
    const figure = parseNumber(limit)
    return figure === undefined ? { invalidNumber: limit } : { includes: (value) => compared(value, figure) }
  }
  const bounds = text.split('..')
  return bounds.length < 2 || bounds.every((bound) => bound === '') ? undefined : between(bounds, parseNumber)
}

function between(bounds: readonly string[], parseNumber: (text: string) => number | undefined): RangeText {
  const values = bounds.map((bound) => (bound === '' ? undefined : parseNumber(bound)))
  const invalidNumber = bounds.find((bound, index) => bound !== '' && values[index] === undefined)
  if (invalidNumber !== undefined) return { invalidNumber }
  const [min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY] = values
  if (values.length > 2) return { invalidRange: 'has more than two ends: write two values, as in 4.9..5.2' }
  if (min > max) return { invalidRange: 'is an empty range: write the lower value first' }
  return { includes: (value) => value >= min && value <= max }
}
