import { type Entry, type MapTree, shownTree, type Tree } from '@slotwire/storage'
import { didYouMean, type FieldType } from './field.ts'
import { givenName } from './field-types.ts'
import type { ParseState } from './parse-state.ts'

const wording = 'values by name, as in { supply: 24V }; the text has each as $supply'

/** The names of the values that a scenario declares, each with its default. */
export const valuesType: FieldType<readonly string[]> = {
  wording,
  read: (tree, state, name) => {
    if (tree.kind !== 'map') return state.fail(tree, `${name} is ${shownTree(tree)}: ${wording}`)
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
export function withValues(root: MapTree, set: ReadonlyMap<string, string>, state: ParseState): MapTree {
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
