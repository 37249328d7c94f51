import { type MapTree, type ReadTree, readTree } from '@slotwire/storage'

/** A settings file as YAML. If the text is not a map, `root` has no entries and there is a fault. */
export interface SettingsTree extends ReadTree {
  readonly root: MapTree
}

/** Settings have three levels. */
const MOST_LEVELS = 8

/** Parses the text of a settings file as YAML. Never throws. */
export function settingsTree(text: string): SettingsTree {
  const { root, faults, ...read } = readTree(text, MOST_LEVELS)
  if (root.kind === 'map') return { root, faults, ...read }
  const none: MapTree = { kind: 'map', start: text.length, end: text.length, entries: [] }
  const fault = { at: root.start, message: 'this is not a list of settings: write key: value in each line' }
  return { root: none, faults: root.kind === 'nothing' ? faults : [...faults, fault], ...read }
}
