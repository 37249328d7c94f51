import { HIGHEST_SEED, visible, wholeNumber } from '@slotwire/core'
import { type MapTree, readTree, type Tree } from '@slotwire/storage'
import type { ModuleCatalog } from './catalog.ts'
import { duration } from './read/duration.ts'
import type { FieldType } from './read/field.ts'
import { needed, optional, readFields } from './read/field.ts'
import { choice, freeText, lineOfText, quantity, slotNumber } from './read/field-types.ts'
import { nameOf } from './read/name-of.ts'
import { Reading } from './read/reading.ts'
import { ScenarioError } from './read/scenario-error.ts'
import type { Scenario } from './scenario.ts'
import { moduleType } from './steps/device-steps.ts'
import { readSteps } from './steps/read-steps.ts'

export interface ParseOptions {
  /** Named in messages; `scenario` unless told otherwise. */
  readonly file?: string
  /** Module types that can be plugged: their names, pins, settings and flags are checked in the text. */
  readonly catalog: ModuleCatalog
}

/** A scenario is written by hand: no larger than this, in UTF-16 units. */
export const LONGEST_TEXT = 262_144
/** Bodies are nested, but not deeper. */
const MOST_LEVELS = 24
/** So many mistakes are told; more are most often consequences. */
export const MOST_PROBLEMS = 50
const DEFAULT_SEED = 1

const modulesType: FieldType<Readonly<Record<number, string>>> = {
  wording: 'module types by slot, as in { 3: io }',
  read: (tree, reading, name) => {
    if (tree.kind !== 'map') return reading.fail(tree, `${name} is ${nameOf(tree)}: ${modulesType.wording}`)
    const modules: Record<number, string> = {}
    for (const { key, keySpan, value } of tree.entries) {
      const slot = slotNumber.read({ kind: 'text', ...keySpan, text: key, isQuoted: false }, reading, name)
      const type = moduleType.read(value, reading, key)
      if (slot !== undefined && type !== undefined) modules[slot] = type
    }
    return modules
  },
}

/** The tree itself: what it holds is read apart. */
const stepsType: FieldType<Tree> = { wording: 'a list of steps, each beginning with -', read: (tree) => tree }

/** What stands at the top of a scenario. */
export const headerFields = {
  name: optional(lineOfText, 'a name for reports; that of the file unless told otherwise'),
  description: optional(freeText, 'what it shows'),
  seed: optional(
    quantity(wholeNumber(0, HIGHEST_SEED)),
    `the same seed gives the same bytes on the bus; ${DEFAULT_SEED} unless told otherwise`,
  ),
  bus: optional(choice(['instant', 'timed']), 'whether the bus takes time; instant unless told otherwise'),
  power_mode: optional(
    choice(['strict', 'weak']),
    'whether overprovisioning is refused or allowed; strict unless told otherwise',
  ),
  device: optional(choice(['default', 'empty']), 'the default device, or one without modules and wiring'),
  modules: optional(modulesType, 'modules by slot, beside or in place of those of the device'),
  until: optional(duration, 'how long it goes on after the last step; not at all unless told otherwise'),
  steps: needed(stepsType, 'what happens, in the order of time'),
}

/** Reads a scenario. Throws `ScenarioError` with all mistakes, and nothing else. */
export function parseScenario(text: string, { file = 'scenario', catalog }: ParseOptions): Scenario {
  if (text.length > LONGEST_TEXT)
    throw new ScenarioError([
      { file, line: 1, column: 1, message: `is too long, ${text.length} characters: at most ${LONGEST_TEXT}` },
    ])
  const { root, faults, brokenAt, placeOf } = readTree(text, MOST_LEVELS)
  const reading = new Reading(catalog)
  const top = brokenAt < Number.POSITIVE_INFINITY ? undefined : topOf(root, reading)
  const header = top && readFields(top, headerFields, reading, 'a scenario')
  const list = top?.entries.find(({ key }) => key === 'steps')?.value
  const steps = list && readSteps(list, { text, reading, placeOf })
  // What is no YAML, or none that a scenario has a use for, has consequences in its line.
  const broken = new Set(faults.map(({ at }) => placeOf(at).line))
  const others = reading.faults.filter(({ at }) => !broken.has(placeOf(at).line))
  const all = [...faults, ...others].sort((a, b) => a.at - b.at)
  if (all.length > 0 || header === undefined || steps === undefined) {
    throw new ScenarioError(all.slice(0, MOST_PROBLEMS).map(({ at, message }) => ({ file, ...placeOf(at), message })))
  }
  return {
    file,
    name: header.name ?? nameOfFile(file),
    description: header.description,
    seed: header.seed ?? DEFAULT_SEED,
    bus: header.bus ?? 'instant',
    powerMode: header.power_mode ?? 'strict',
    device: header.device ?? 'default',
    modules: header.modules ?? {},
    untilMs: header.until ?? 0,
    steps,
  }
}

function topOf(root: Tree, reading: Reading): MapTree | undefined {
  if (root.kind === 'map') return root
  if (root.kind === 'nothing') return { ...root, kind: 'map', isFlow: false, entries: [] }
  return reading.fail(root, 'this is no scenario: write steps:, and below it a list of steps')
}

function nameOfFile(file: string): string {
  return visible((file.split(/[/\\]/).at(-1) ?? file).replace(/\.ya?ml$/, '') || file)
}
