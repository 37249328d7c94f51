import { shown } from '@slotwire/core'
import { type Entry, type MapTree, type Place, type Span, shownTree, type Tree } from '@slotwire/storage'
import { didYouMean, optional, readFields, splitByFields } from '../read/field.ts'
import { duration } from '../read/field-types.ts'
import type { ParseState } from '../read/parse-state.ts'
import type { ScenarioStep } from '../scenario.ts'
import { MAX_STEPS, repeat, stepKinds, timesIn } from './kinds.ts'

/** Longest step in a report, in characters. */
const SHOWN_STEP = 120

/** What other programs call a pause between steps. */
const PAUSES = ['sleep', 'delay', 'pause']

interface Source {
  readonly text: string
  readonly state: ParseState
  readonly placeOf: (offset: number) => Place
}

/** Fields that every step has. */
export const timeFields = {
  at: optional(duration, 'twin time since the start'),
  after: optional(duration, 'twin time since the end of the step before'),
}

/** Reads the list of steps; records mistakes. */
export function readSteps(tree: Tree, source: Source): readonly ScenarioStep[] {
  const { state } = source
  let count = 0
  for (const item of tree.kind === 'list' ? tree.items : []) {
    const free = MAX_STEPS - count
    count += countOf(item)
    if (count <= MAX_STEPS) continue
    const expected = valueOf(item, 'expect')
    const more = countOf(tree) < Number.MAX_SAFE_INTEGER ? String(countOf(tree)) : 'too many'
    state.fail(
      (expected?.kind === 'list' ? expected.items[free] : undefined) ?? item,
      `there are ${more} steps: at most ${MAX_STEPS}, each item of an expect list counts as one, each step in a repeat as often as it runs`,
    )
    return []
  }
  return readList(tree, source, false)
}

/** Reads a list of steps, in the block of a repeat or not. */
function readList(tree: Tree, source: Source, isInBlock: boolean): readonly ScenarioStep[] {
  const { state } = source
  if (tree.kind !== 'list') {
    state.fail(tree, `steps is ${shownTree(tree)}: write a list, each step beginning with -`)
    return []
  }
  if (tree.items.length === 0) state.fail(tree, 'steps is an empty list: write a step, as in - short: 3/2')
  let earliestMs = 0
  return tree.items.flatMap((item) => {
    const map = state.map(item, 'a step', '- at: 2s, and below it an action, as in short: 3/2')
    if (map === undefined) return []
    const [when, actions] = splitByFields(map, timeFields)
    const { at, after } = readFields(when, timeFields, state) ?? {}
    if (when.entries.length > 1) state.fail(placeOfKey(map, 'after'), 'at and after exclude each other: write one of them')
    if (isInBlock && at !== undefined)
      state.fail(placeOfKey(map, 'at'), 'at cannot be in a repeat: write after, the time since the step before')
    if (at !== undefined && at < earliestMs)
      state.fail(placeOfKey(map, 'at'), `at is before the step above: ${earliestMs / 1000}s or later, or leave it out`)
    earliestMs = Math.max(earliestMs, at ?? 0)
    return readStep(actions, { atMs: at, afterMs: after }, source)
  })
}

function readStep(map: MapTree, times: Pick<ScenarioStep, 'atMs' | 'afterMs'>, source: Source): readonly ScenarioStep[] {
  const { state } = source
  const kinds = stepKinds(state.catalog)
  const names = kinds.map(({ name }) => name)
  const known = map.entries.filter(({ key }) => names.includes(key))
  for (const { key, keySpan, value } of map.entries) {
    if (names.includes(key)) continue
    if (PAUSES.includes(key)) {
      const time = value.kind === 'text' ? shown(value.text) : '5s'
      state.fail(keySpan, `there is no step ${key}: write after: ${time} in the step that follows`)
      continue
    }
    const meant = didYouMean(key, [...names, ...Object.keys(timeFields)])
    const all = meant === '' ? `: ${names.join(', ')}` : meant
    state.fail(
      keySpan,
      known.length > 0
        ? `a step has no ${shown(key)}${meant || ': it takes at or after, and one action'}`
        : `there is no step ${shown(key)}${all}`,
    )
  }
  const [action, second] = known
  if (second !== undefined) {
    state.fail(second.keySpan, `${known.map(({ key }) => key).join(' and ')} are two actions: write a step for each`)
    return []
  }
  if (action === undefined) {
    if (map.entries.length === 0) state.fail(map, `this step does nothing: write an action, one of ${names.join(', ')}`)
    return []
  }
  return partsOf(action).flatMap((part, index) => {
    const read = kinds.find(({ name }) => name === part.key)?.read(part, state)
    // Report the mistakes in a block, even if its repeat has one, too.
    const rounds = part.key === repeat.name ? roundsOf(part.value, source) : []
    if (read === undefined) return []
    const time = index === 0 ? times : { atMs: undefined, afterMs: undefined }
    const step = { ...read, ...time, kind: part.key, ...source.placeOf(part.keySpan.start), text: textOf(part, source.text) }
    return [step, ...rounds]
  })
}

/** The steps in the block of a repeat, as often as they run. */
function roundsOf(block: Tree, source: Source): readonly ScenarioStep[] {
  const steps = valueOf(block, 'steps')
  const inBlock = steps === undefined ? [] : readList(steps, source, true)
  const times = timesOf(block)
  return Array.from({ length: times }, (_, index) => index + 1).flatMap((round) =>
    inBlock.map((step) => ({ ...step, text: `${step.text} (round ${round} of ${times})` })),
  )
}

/** How often a block runs; 1 if that is not valid. */
function timesOf(block: Tree): number {
  const times = valueOf(block, 'times')
  return (times?.kind === 'text' ? timesIn(times.text) : undefined) ?? 1
}

function valueOf(tree: Tree | undefined, key: string): Tree | undefined {
  return tree?.kind === 'map' ? tree.entries.find((entry) => entry.key === key)?.value : undefined
}

/** Number of steps of a list, or of one item in it. */
function countOf(tree: Tree): number {
  if (tree.kind === 'list') return tree.items.reduce((sum, item) => sum + countOf(item), 0)
  const expected = valueOf(tree, 'expect')
  if (expected?.kind === 'list') return Math.max(1, expected.items.length)
  const block = valueOf(tree, repeat.name)
  const steps = valueOf(block, 'steps')
  return 1 + (block === undefined || steps?.kind !== 'list' ? 0 : timesOf(block) * countOf(steps))
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
