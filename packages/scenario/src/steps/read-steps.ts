import { shown } from '@slotwire/core'
import type { Entry, MapTree, Place, Span, Tree } from '@slotwire/storage'
import { duration } from '../read/duration.ts'
import { didYouMean, optional, readFields, splitByFields } from '../read/field.ts'
import { nameOf } from '../read/name-of.ts'
import type { Reading } from '../read/reading.ts'
import type { ScenarioStep } from '../scenario.ts'
import { stepKinds } from './kinds.ts'

/** Limit of steps in one scenario. */
const MAX_STEPS = 10_000
/** Longest step in a report, in characters. */
const SHOWN_STEP = 120

/** What other programs call a pause between steps. */
const PAUSES = ['wait', 'sleep', 'delay', 'pause']

interface Source {
  readonly text: string
  readonly reading: Reading
  readonly placeOf: (offset: number) => Place
}

/** Fields that every step has. */
export const timeFields = {
  at: optional(duration, 'twin time since the start'),
  after: optional(duration, 'twin time since the end of the step before'),
}

/** Reads the list of steps; records mistakes. */
export function readSteps(tree: Tree, source: Source): readonly ScenarioStep[] {
  const { reading } = source
  if (tree.kind !== 'list') {
    reading.fail(tree, `steps is ${nameOf(tree)}: write a list, each step beginning with -`)
    return []
  }
  const parts = tree.items.flatMap(partsIn)
  if (parts.length === 0) reading.fail(tree, 'steps is an empty list: write a step, as in - short: 3/2')
  if (parts.length > MAX_STEPS) {
    reading.fail(
      parts[MAX_STEPS] ?? tree,
      `there are ${parts.length} steps: at most ${MAX_STEPS}, each item of an expect list counts as one`,
    )
    return []
  }
  let earliestMs = 0
  return tree.items.flatMap((item) => {
    const map = reading.map(item, 'a step', '- at: 2s, and below it an action, as in short: 3/2')
    if (map === undefined) return []
    const [when, actions] = splitByFields(map, timeFields)
    const { at, after } = readFields(when, timeFields, reading, 'a step') ?? {}
    if (when.entries.length > 1) reading.fail(placeOfKey(map, 'after'), 'at and after exclude each other: write one of them')
    if (at !== undefined && at < earliestMs)
      reading.fail(placeOfKey(map, 'at'), `at is before the step above: ${earliestMs / 1000}s or later, or leave it out`)
    earliestMs = Math.max(earliestMs, at ?? 0)
    return readStep(actions, { atMs: at, afterMs: after }, source)
  })
}

function readStep(map: MapTree, times: Pick<ScenarioStep, 'atMs' | 'afterMs'>, source: Source): readonly ScenarioStep[] {
  const { reading } = source
  const names = stepKinds.map(({ name }) => name)
  const known = map.entries.filter(({ key }) => names.includes(key))
  for (const { key, keySpan, value } of map.entries) {
    if (names.includes(key)) continue
    if (PAUSES.includes(key)) {
      const time = value.kind === 'text' ? shown(value.text) : '5s'
      reading.fail(keySpan, `there is no step ${key}: write after: ${time} in the step that follows`)
      continue
    }
    const meant = didYouMean(key, [...names, ...Object.keys(timeFields)])
    const all = meant === '' ? `: ${names.join(', ')}` : meant
    reading.fail(
      keySpan,
      known.length > 0
        ? `a step has no ${shown(key)}${meant || ': it takes at or after, and one action'}`
        : `there is no step ${shown(key)}${all}`,
    )
  }
  const [action, second] = known
  if (second !== undefined) {
    reading.fail(second.keySpan, `${known.map(({ key }) => key).join(' and ')} are two actions: write a step for each`)
    return []
  }
  if (action === undefined) {
    if (map.entries.length === 0) reading.fail(map, `this step does nothing: write an action, one of ${names.join(', ')}`)
    return []
  }
  return partsOf(action).flatMap((part, index) => {
    const read = stepKinds.find(({ name }) => name === part.key)?.read(part, reading)
    if (read === undefined) return []
    const time = index === 0 ? times : { atMs: undefined, afterMs: undefined }
    return [{ ...read, ...time, kind: part.key, ...source.placeOf(part.keySpan.start), text: textOf(part, source.text) }]
  })
}

/** The steps of a list item, for counting. */
function partsIn(item: Tree): readonly Tree[] {
  const expected = item.kind === 'map' ? item.entries.find(({ key }) => key === 'expect')?.value : undefined
  return expected?.kind === 'list' && expected.items.length > 0 ? expected.items : [item]
}

/** A list of expectations counts as several steps. */
function partsOf(action: Entry): readonly Entry[] {
  const { key, value } = action
  if (key !== 'expect' || value.kind !== 'list' || value.items.length === 0) return [action]
  return value.items.map((item) => ({ key, keySpan: item, value: item }))
}

function placeOfKey(map: MapTree, key: string): Span {
  return map.entries.find((entry) => entry.key === key)?.keySpan ?? map
}

/** A step as written, in one line. */
function textOf({ key, value }: Entry, text: string): string {
  const written = text.slice(value.start, value.end)
  const inOneLine = written
    .replace(/\s#[^\n]*/g, '')
    .replace(/\s+/g, ' ')
    .trim()
  return shown(`${key}: ${inOneLine}`.trim(), SHOWN_STEP)
}
