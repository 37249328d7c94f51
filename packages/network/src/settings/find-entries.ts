import { unknownField } from '@slotwire/contract'
import { nearest } from '@slotwire/core'
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
  const found = new Map<string, Entry>()
  for (const entry of root.entries) {
    const { key, keySpan, value } = entry
    const inner = keysIn(key)
    if (inner.length > 0) {
      if (value.kind === 'map') for (const [full, of] of findIn(key, value, inner, report)) found.set(full, of)
      // A group may be empty, with all its settings commented out.
      else if (value.kind !== 'nothing') report(value.start, groupRemedy(inner), key)
    } else if (TOP.includes(key)) found.set(key, entry)
    else report(keySpan.start, remedyAtTop(key), shownKey(key))
  }
  return found
}

function findIn(group: string, { entries }: MapTree, inner: readonly string[], report: Report): readonly [string, Entry][] {
  return entries.flatMap((entry): [string, Entry][] => {
    const full = `${group}.${entry.key}`
    if (inner.includes(entry.key)) return [[full, entry]]
    report(entry.keySpan.start, unknownKey(entry.key, inner), shownKey(full))
    return []
  })
}

const groupRemedy = (inner: readonly string[]) => `is a group: write its settings below it, indented, as in ${inner[0] ?? ''}: …`

/** Suggests a fix for a full key in one line or for a missing group. */
function remedyAtTop(key: string): string {
  const [group = '', inner] = fullKey(key).split('.')
  if (inner === undefined || !TOP.includes(group)) return unknownKey(key, TOP)
  return `is unknown: write it below ${group}:, indented, as ${inner}: …`
}

/** The rest of the sentence about a key that does not exist. */
export const unknownKey = (key: string, known: readonly string[]): string =>
  unknownField('', nearest(key, known), known).trimStart()
