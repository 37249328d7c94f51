import { type MapTree, type ReadTree, readTree } from '@slotwire/storage'

/** A settings file as YAML; of a text that is not a map at its top, `root` has no entries, and there is a fault. */
export interface SettingsTree extends ReadTree {
  readonly root: MapTree
}

/** Settings are three levels deep. */
const MOST_LEVELS = 8

/** Reads the text of a settings file as YAML. Never throws. */
export function settingsTree(text: string): SettingsTree {
  const { root, faults, ...read } = readTree(text, MOST_LEVELS)
  if (root.kind === 'map') return { root, faults, ...read }
  const none: MapTree = { kind: 'map', start: text.length, end: text.length, isFlow: false, entries: [] }
  const fault = { at: root.start, message: 'this is no list of settings: write key: value in each line' }
  return { root: none, faults: root.kind === 'nothing' ? faults : [...faults, fault], ...read }
}
