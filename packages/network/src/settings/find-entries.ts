import { nearest, unknownField } from '@slotwire/core'
import type { Entry, MapTree } from '@slotwire/storage'
import { fullKey, SETTINGS } from './declarations.ts'
import { shownKey } from './problem.ts'

type Report = (at: number, message: string, key: string) => void

const KEYS: readonly string[] = SETTINGS.map(({ key }) => key)
/** Valid keys at the top level: settings without a group, and groups. */
const TOP: readonly string[] = [...new Set(KEYS.map((key) => key.split('.')[0] ?? key))]

const keysIn = (group: string) => KEYS.filter((key) => key.startsWith(`${group}.`)).map((key) => key.slice(group.length + 1))

/** The settings in a file, by their key. Reports unknown keys. */
export function findEntries(root: MapTree, report: Report): ReadonlyMap<string, Entry> {
  const settings = new Map<string, Entry>()
  for (const entry of root.entries) {
    const { key: group, keySpan, value } = entry
    const inner = keysIn(group)
    if (inner.length > 0) {
      for (const each of value.kind === 'map' ? value.entries : []) {
        const full = `${group}.${each.key}`
        if (inner.includes(each.key)) settings.set(full, each)
        else report(each.keySpan.start, unknownKey(full, each.key, inner), shownKey(full))
      }
      // A group may be empty, with all its settings commented out.
      if (value.kind === 'text' || value.kind === 'list')
        report(value.start, `${group} is a group: write its settings below it, indented, as in ${inner[0] ?? ''}: …`, group)
    } else if (TOP.includes(group)) settings.set(group, entry)
    else report(keySpan.start, unknownAtTop(group), shownKey(group))
  }
  return settings
}

/** The sentence about a full key in one line, a missing group, or an unknown key. */
function unknownAtTop(key: string): string {
  const [group = '', inner] = fullKey(key).split('.')
  if (inner === undefined || !TOP.includes(group)) return unknownKey(key, key, TOP)
  return `${key} is unknown: write it below ${group}:, indented, as ${inner}: …`
}

/** The sentence about a key that does not exist; `written` is the part of it that `known` has. */
export const unknownKey = (key: string, written: string, known: readonly string[]): string =>
  unknownField(shownKey(key), nearest(written, known), known)
