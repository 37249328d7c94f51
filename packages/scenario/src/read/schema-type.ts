import { expectation, mistake, type ObjectSchema, type Schema, wordOf } from '@slotwire/contract'
import { messageOf, shown } from '@slotwire/core'
import { type Entry, type Span, shownTree, type Tree } from '@slotwire/storage'
import { FAULTS, PIN, PLACE, SLOT } from '@slotwire/twin'
import { didYouMean, type FieldType, type Keys, readEntries, textType } from './field.ts'
import { durationOf, leaf, slotNumber } from './field-types.ts'
import type { ParseState } from './parse-state.ts'

type Values = Readonly<Record<string, unknown>>

/** Suffix of a duration: `for: 10s` is `for_ms: 10000`. */
const MS = '_ms'
/** Suffix of a text that is in a file: `csv_file: level.csv`. */
const FILE = '_file'

/** How a value of a schema is written as text: with units, and `plug: 3` for `plug: { slot: 3 }` where a field may stand alone. */
export function schemaType(schema: Schema): FieldType<unknown> {
  if (schema.type === 'array') return listType(schema)
  if (schema.type === 'object')
    return {
      wording: wordingOf(schema),
      read: (tree, state, name) => readObject(tree, schema, state, name, tree, `${name}.`),
    }
  if (schema.title === SLOT) return slotNumber
  return schema.title === PLACE || schema.title === FAULTS ? reference(schema) : leaf(schema)
}

/** A pin, a slot, or the name of a connection or a fault: of a step above, or of the bench (`c1`, `f1`). */
function reference(schema: Schema): FieldType<unknown> {
  const ofFaults = schema.title === FAULTS
  return textType(expectation(schema), (text, name, state) => {
    wordOf(schema).read(text, name)
    const known = [...state.names].flatMap(([each, named]) =>
      named.what === 'connection' && (named.kind === 'fault') === ofFaults ? [each] : [],
    )
    const isKnown = state.takesAnyName || known.includes(text)
    if (isKnown || (ofFaults ? /^(all|f?\d+)$/ : /^(\d|c\d+$)/).test(text)) return text
    const [what, example] = ofFaults ? ['fault', 'fault'] : ['connection', 'connect']
    const remedy =
      known.length === 0 ? `no step above names one: write ${example}: { …, as: ${text} }` : `known names are ${known.join(', ')}`
    throw new RangeError(`${name}: no ${what} is named ${text}: ${remedy}`)
  })
}

function listType({ items, maxItems }: Schema & { readonly type: 'array' }): FieldType<readonly unknown[]> {
  const type = schemaType(items)
  const isPins = items.title === PIN && maxItems === 2
  const wording = isPins ? 'two pins, as in [3/1, 3/2]' : `a list, each item ${type.wording}`
  return {
    wording,
    read: (tree, state, name) => {
      if (tree.kind !== 'list' || (maxItems !== undefined && tree.items.length !== maxItems))
        return state.fail(tree, isPins ? `${name} needs two pins: write [3/1, 3/2]` : `${name} is ${shownTree(tree)}: ${wording}`)
      const values = tree.items.map((item, index) => type.read(item, state, `${name}[${index}]`))
      return values.includes(undefined) ? undefined : values
    },
  }
}

/** The kinds of elements or faults: fields with settings, and exactly one is given. */
export function kindsOf({ oneOf = [], properties }: ObjectSchema): readonly string[] {
  const names = oneOf.flatMap(({ required }) => (required.length === 1 ? required : []))
  return names.filter((name) => properties[name]?.type === 'object')
}

const ELEMENT = 'an element with its settings, as in { source: 24V, ohms: 10k }'
const wordingOf = (schema: ObjectSchema): string => (kindsOf(schema).length > 0 ? ELEMENT : 'a group of settings')

/** Reads an object, and reports its mistakes; those between its fields at `span`. Undefined if anything is invalid. */
export function readObject(
  tree: Tree,
  schema: ObjectSchema,
  state: ParseState,
  name: string,
  span: Span,
  prefix = '',
): Values | undefined {
  const before = state.faults.length
  const entries = entriesOf(tree, schema, state, name, span)
  if (entries === undefined) return undefined
  const keys: Keys = {
    known: Object.keys(schema.properties),
    needed: schema.required.map((each) => [each, expectation(schema.properties[each] as Schema)]),
    find: (key) => fieldOf(key, schema),
  }
  const values = readEntries(ofOneKind(entries, schema, state), keys, state, tree, prefix)
  const kinds = kindsOf(schema)
  if (kinds.length > 0 && !kinds.some((kind) => Object.hasOwn(values, kind)) && state.faults.length === before)
    state.fail(tree, `${name} needs a kind: one of ${kinds.join(', ')}`)
  if (state.faults.length > before) return undefined
  const problem = mistake(schema, values, prefix.slice(0, -1))
  return problem === undefined ? values : state.fail(span, problem)
}

/** The entries of a map. A plain value is the field that may stand alone, as `3` for `slot: 3`, or a kind without settings. */
function entriesOf(tree: Tree, schema: ObjectSchema, state: ParseState, name: string, span: Span): readonly Entry[] | undefined {
  if (tree.kind === 'map') return tree.entries
  const { start, end } = tree
  const nothing: Tree = { kind: 'nothing', start, end }
  if (tree.kind === 'text' && kindsOf(schema).length > 0) return [{ key: tree.text, keySpan: tree, value: nothing }]
  const alone = schema['x-alone']
  if (tree.kind !== 'nothing' && alone !== undefined) return [{ key: alone, keySpan: tree, value: tree }]
  if (tree.kind === 'nothing' && schema.required.length === 0 && kindsOf(schema).length === 0) return []
  return state.fail(span, `${name} is ${shownTree(tree)}: write ${writing(schema, name)}`)
}

/** The form of a step: `plug: { slot: …, module: … }`. */
function writing({ properties, required, oneOf = [], 'x-alone': alone }: ObjectSchema, name: string): string {
  const field = alone === undefined ? undefined : properties[alone]
  if (field !== undefined) return schemaType(field).wording
  if (required.length === 0 && oneOf.length > 2) return ELEMENT
  if (Object.keys(properties).length === 0) return `${name}:`
  const needed = required.map((each) => `${each}: …`).join(', ')
  return `${name}: { ${needed || '…'} }`
}

/** Puts the settings that are beside a kind into it: `source: 24V, ohms: 10k`. */
function ofOneKind(entries: readonly Entry[], schema: ObjectSchema, state: ParseState): readonly Entry[] {
  const kinds = kindsOf(schema)
  if (kinds.length === 0) return entries
  const [kind, second] = entries.filter(({ key }) => kinds.includes(key))
  if (second !== undefined && kind !== undefined) {
    state.fail(second.keySpan, `${kind.key} and ${second.key} are two kinds: write a step for each`)
    return []
  }
  const isOwn = (entry: Entry): boolean =>
    entry === kind || (fieldOf(entry.key, schema) !== undefined && !kinds.includes(entry.key))
  const others = entries.filter((entry) => !isOwn(entry))
  if (kind === undefined) {
    const [first] = others
    if (first === undefined) return entries
    const meant = didYouMean(first.key, kinds)
    state.fail(first.keySpan, `there is no kind ${shown(first.key)}${meant || ':'} ${meant && 'There are '}${kinds.join(', ')}`)
    return entries.filter(isOwn)
  }
  const settings = schema.properties[kind.key] as ObjectSchema
  const saysNothing = kind.value.kind === 'nothing' || (kind.value.kind === 'text' && kind.value.text === 'true')
  const inner = saysNothing ? [] : (entriesOf(kind.value, settings, state, kind.key, kind.value) ?? [])
  const { start, end } = kind.value.kind === 'nothing' ? kind.keySpan : kind.value
  const value: Tree = { kind: 'map', start, end, entries: [...inner, ...others] }
  return [...entries.filter((entry) => isOwn(entry) && entry !== kind), { ...kind, value }]
}

/** The field that a key means, and how its value is written. */
function fieldOf(
  key: string,
  { properties }: ObjectSchema,
): { readonly name: string; readonly type: FieldType<unknown> } | undefined {
  const own = (name: string): Schema | undefined => (Object.hasOwn(properties, name) ? properties[name] : undefined)
  const schema = own(key)
  if (schema !== undefined) return { name: key, type: schemaType(schema) }
  const duration = own(key + MS)
  if (duration?.type === 'number') return { name: key + MS, type: durationOf(duration) }
  const text = key.endsWith(FILE) ? key.slice(0, -FILE.length) : undefined
  return text !== undefined && own(text)?.type === 'string' ? { name: text, type: fileType } : undefined
}

/** The text of a file beside the scenario. */
const fileType = textType('the name of a file beside the scenario', (file, key, { files, readFile }) => {
  files.add(file)
  if (readFile === undefined)
    throw new RangeError(`${key}: this scenario is not in a folder: write its text with ${key.slice(0, -FILE.length)}`)
  try {
    return readFile(file)
  } catch (error) {
    throw new RangeError(`${key} ${shown(file)} cannot be read: ${messageOf(error)}`, { cause: error })
  }
})
