import { integer, listOf } from '@slotwire/contract'
import { MAX_SEED, visible } from '@slotwire/core'
import { type Entry, type MapTree, readTree, shownTree, type Tree } from '@slotwire/storage'
import { nameText } from '@slotwire/twin'
import type { ModuleCatalog } from './catalog.ts'
import { didYouMean, type FieldType, needed, optional, readFields } from './read/field.ts'
import { choice, duration, freeText, givenName, leaf, lineOfText, slotNumber } from './read/field-types.ts'
import { ParseState } from './read/parse-state.ts'
import { slotOf } from './read/rest-types.ts'
import { schemaType } from './read/schema-type.ts'
import { type Scenario, ScenarioError, type ScenarioProblem } from './scenario.ts'
import { stepsType } from './steps/kinds.ts'
import { readSteps } from './steps/read-steps.ts'

const VALUES_WORDING = 'values by name, as in { supply: 24V }; the text has each as $supply'

/** The names of the values that a scenario declares, each with its default. */
const valuesType: FieldType<readonly string[]> = {
  wording: VALUES_WORDING,
  read: (tree, state, name) => {
    if (tree.kind !== 'map') return state.fail(tree, `${name} is ${shownTree(tree)}: ${VALUES_WORDING}`)
    for (const { key, keySpan, value } of tree.entries) {
      givenName.read({ kind: 'text', ...keySpan, text: key, isQuoted: false }, state, name)
      if (value.kind !== 'text') state.fail(value, `${name}.${key} is ${shownTree(value)}: write one value, as in ${key}: 24V`)
    }
    return tree.entries.map(({ key }) => key)
  },
}

/** Where a value is used: alone and without quotes. */
const USE = /^\$([\w-]+)$/

/**
 * Puts the declared values in the places of their names; `set` has others than the defaults. Each stays at the place where it is used, so
 * that its mistakes are there. Records names that are not declared, and values that are not used.
 */
function withValues(root: MapTree, set: ReadonlyMap<string, string>, state: ParseState): MapTree {
  const declared = root.entries.find(({ key }) => key === 'values')?.value
  const defaults = new Map(declared?.kind === 'map' ? declared.entries.map((entry) => [entry.key, entry]) : [])
  const used = new Set<string>()
  const textOf = (name: string, tree: Tree): Tree => {
    const value = defaults.get(name)?.value
    used.add(name)
    if (value?.kind === 'text')
      return { ...tree, kind: 'text', text: set.get(name) ?? value.text, isQuoted: !set.has(name) && value.isQuoted }
    const remedy =
      didYouMean(name, [...defaults.keys()]) || `: write values: { ${name}: … } at the top, or "$${name}" for this text`
    return value === undefined ? (state.fail(tree, `no value is named ${name}${remedy}`) ?? tree) : tree
  }
  const replaced = (tree: Tree): Tree => {
    if (tree.kind === 'list') return { ...tree, items: tree.items.map(replaced) }
    if (tree.kind === 'map') return { ...tree, entries: tree.entries.map(inEntry) }
    const [, name] = (tree.kind === 'text' && !tree.isQuoted && USE.exec(tree.text)) || []
    return name === undefined ? tree : textOf(name, tree)
  }
  const inEntry = (entry: Entry): Entry => (entry.value === declared ? entry : { ...entry, value: replaced(entry.value) })
  const entries = root.entries.map(inEntry)
  for (const [name, { keySpan }] of defaults)
    if (!used.has(name) && USE.test(`$${name}`))
      state.fail(keySpan, `values.${name} is not used: write $${name} where it belongs, or leave it out`)
  return { ...root, entries }
}

export interface ParseOptions {
  /** Name in messages; default `scenario`. */
  readonly file?: string
  /** Module types that can be plugged: the text is checked against their names, pins, settings and flags. */
  readonly catalog: ModuleCatalog
  /** The text of a file beside the scenario, for `csv_file`; throws if it cannot be read. Default: no file can. */
  readonly readFile?: (name: string) => string
  /** Names that a bench knows already, with the kinds of their connections. */
  readonly names?: ReadonlyMap<string, string>
  /** Values in place of the defaults that the text declares; names that it does not declare have no effect. */
  readonly values?: ReadonlyMap<string, string>
}

/** Limit for the text, in UTF-16 units. */
export const MAX_TEXT_LENGTH = 262_144
/** Limit for the nesting of bodies. */
const MAX_LEVELS = 24
/** Limit of reported mistakes; further ones are mostly consequences. */
export const MAX_PROBLEMS = 50
const DEFAULT_SEED = 1

const modulesType: FieldType<Readonly<Record<number, string>>> = {
  wording: 'module types by slot, as in { 3: io }',
  read: (tree, state, name) => {
    if (tree.kind !== 'map') return state.fail(tree, `${name} is ${shownTree(tree)}: ${modulesType.wording}`)
    const modules: Record<number, string> = {}
    for (const { key, keySpan, value } of tree.entries) {
      const slot = slotNumber.read({ kind: 'text', ...keySpan, text: key, isQuoted: false }, state, name)
      const type = choice(Object.keys(state.catalog)).read(value, state, key)
      if (slot !== undefined && type !== undefined) modules[slot] = type
    }
    return modules
  },
}

const tagsType = { ...schemaType(listOf(nameText)), wording: 'a list of names, as in [smoke, slow]' } as FieldType<
  readonly string[]
>

/** Fields at the top of a scenario. */
export const headerFields = {
  name: optional(lineOfText, 'name in reports; default: name of the file'),
  description: optional(freeText, 'purpose of the scenario'),
  tags: optional(tagsType, 'names for --tag, which runs only some scenarios'),
  values: optional(valuesType, 'values that --set can replace, with their defaults'),
  seed: optional(
    leaf(integer({ min: 0, max: MAX_SEED })),
    `the same seed gives the same bytes on the bus; default ${DEFAULT_SEED}`,
  ),
  bus: optional(choice(['instant', 'timed']), 'timing of the bus; default instant'),
  power_mode: optional(choice(['strict', 'weak']), 'whether overprovisioning is refused or allowed; default strict'),
  device: optional(choice(['default', 'empty']), 'the default device, or one without modules and wiring'),
  modules: optional(modulesType, 'additional modules by slot; they replace those of the device'),
  until: optional(duration, 'how long it runs after the last step; default 0s'),
  steps: needed(stepsType, 'the steps, in order of time'),
}

/** Parses a scenario. Throws only `ScenarioError`, with all mistakes. */
export function parseScenario(text: string, options: ParseOptions): Scenario {
  const { file = 'scenario', catalog, readFile, names = new Map<string, string>(), values = new Map<string, string>() } = options
  if (text.length > MAX_TEXT_LENGTH)
    throw new ScenarioError([
      { file, line: 1, column: 1, message: `is too long, ${text.length} characters: at most ${MAX_TEXT_LENGTH}` },
    ])
  const { root, faults, brokenAt, placeOf } = readTree(text, MAX_LEVELS)
  const state = new ParseState(catalog, readFile)
  for (const [name, kind] of names) state.names.set(name, { what: 'connection', kind })
  const written = brokenAt < Number.POSITIVE_INFINITY ? undefined : topOf(root, state)
  const top = written && withValues(written, values, state)
  const ofValues = new Set(state.faults)
  const placesOfValues = new Set(state.faults.map(({ at }) => at))
  const header = top && readFields(top, headerFields, state)
  const list = top?.entries.find(({ key }) => key === 'steps')?.value
  const steps = list && readSteps(list, { text, state, placeOf })
  // Invalid YAML causes further mistakes in its line, a missing value one in its place: drop them.
  const broken = new Set(faults.map(({ at }) => placeOf(at).line))
  const others = state.faults.filter(
    (fault) => !broken.has(placeOf(fault.at).line) && (ofValues.has(fault) || !placesOfValues.has(fault.at)),
  )
  const all = [...faults, ...others].sort((a, b) => a.at - b.at)
  if (all.length > 0 || header === undefined || steps === undefined) {
    throw new ScenarioError(all.slice(0, MAX_PROBLEMS).map(({ at, message }) => ({ file, ...placeOf(at), message })))
  }
  return {
    file,
    name: header.name ?? nameOfFile(file),
    description: header.description,
    tags: header.tags ?? [],
    values: header.values ?? [],
    header: (top?.entries ?? []).map(({ key, keySpan }) => ({ key, ...placeOf(keySpan.start) })),
    seed: header.seed ?? DEFAULT_SEED,
    bus: header.bus ?? 'instant',
    powerMode: header.power_mode ?? 'strict',
    device: header.device ?? 'default',
    modules: header.modules ?? {},
    untilMs: header.until ?? 0,
    steps,
    files: [...state.files],
  }
}

function topOf(root: Tree, state: ParseState): MapTree | undefined {
  if (root.kind === 'map') return root
  if (root.kind === 'nothing') return { ...root, kind: 'map', entries: [] }
  return state.fail(root, 'this is not a scenario: write steps:, and below it a list of steps')
}

function nameOfFile(file: string): string {
  return visible((file.split(/[/\\]/).at(-1) ?? file).replace(/\.ya?ml$/, '') || file)
}

/** What a virtual device begins with: its modules, and actions of the bench in their order. */
export type ParsedRig = ReturnType<typeof parseRig>

/** Fields at the top of a rig. */
const FIELDS = ['name', 'description', 'values', 'device', 'modules', 'steps']

/** Parses a rig: a scenario of actions of the bench alone, without times. Throws only `ScenarioError`, with all mistakes. */
export function parseRig(text: string, options: ParseOptions) {
  const { file, device, modules, steps, header } = parseScenario(text, options)
  const problems = steps.flatMap(({ kind, action, atMs = 0, afterMs = 0, line, column }) => {
    const place = { file, line, column }
    if (action === undefined)
      return [{ ...place, message: `${kind} is no action of the bench: a rig has nothing else, run a scenario for it` }]
    return atMs + afterMs > 0 ? [{ ...place, message: 'a rig is there from the start: leave out at and after' }] : []
  })
  for (const { key, ...place } of header)
    if (!FIELDS.includes(key)) problems.push({ file, ...place, message: `a rig has only ${FIELDS.join(', ')}: leave out ${key}` })
  if (problems.length > 0) throw new ScenarioError(problems)
  // `at` is for messages: `rig.yaml:4`.
  const actions = steps.flatMap(({ action, line }) => (action === undefined ? [] : [{ ...action, at: `${file}:${line}` }]))
  return { device, modules, actions }
}

/** Fields at the top that describe a device: one that runs already has its own. */
const OF_A_NEW_DEVICE = ['seed', 'bus', 'power_mode', 'device', 'modules']

/** What keeps a scenario from a device that runs already and has no bench: each with its place. */
export function mistakesElsewhere(
  { file, header, steps }: Scenario,
  { hasJournal }: { readonly hasJournal: boolean },
): readonly ScenarioProblem[] {
  const own = header
    .filter(({ key }) => OF_A_NEW_DEVICE.includes(key))
    .map(({ key, line, column }) => ({ file, line, column, message: `${key} is for a new virtual device: leave it out` }))
  // A step in a repeat is there for each round.
  const byPlace = new Map(steps.map((step) => [`${step.line}:${step.column}`, step]))
  const refused = [...byPlace.values()].flatMap(({ needs, kind, text, line, column }) => {
    if (needs === undefined || (needs === 'journal' && hasJournal)) return []
    const what = kind === 'expect' || kind === 'wait' ? text.replace(/( \(round \d+ of \d+\))+$/, '') : kind
    const lacks =
      needs === 'bench' ? 'needs the bench of a new virtual device' : 'needs /slotwire/events, which this server lacks'
    return [{ file, line, column, message: `${what} ${lacks}: leave it out, or run it without --url` }]
  })
  return [...own, ...refused].sort((a, b) => a.line - b.line || a.column - b.column)
}

/** What the requests of a scenario change. */
export function changesOf({ steps }: Scenario): { readonly any: boolean; readonly slots: readonly number[] } {
  const posts = steps.flatMap(({ request }) => (request?.method === 'POST' ? [request] : []))
  return { any: posts.length > 0, slots: [...new Set(posts.flatMap(({ path }) => slotOf(path) ?? []))].sort() }
}
