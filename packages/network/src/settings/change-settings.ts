import { yaml } from '@slotwire/storage'
import { fullKey, SETTINGS } from './declarations.ts'
import { type NewValue, withValue } from './edit-text.ts'
import { unknownKey } from './find-entries.ts'
import { type ParsedSettings, parseSettings } from './parse-settings.ts'
import { SettingsError, type SettingsProblem, shownKey } from './problem.ts'

/** A setting and its new value, in words as typed. `default` removes the setting, `off` a list or a map. */
export interface SettingChange {
  /** As in `fullKey`: `doors.https-port` or `https-port`. */
  readonly key: string
  readonly words: readonly string[]
}

/** A settings file after some changes. */
export interface ChangedSettings {
  readonly text: string
  readonly before: ParsedSettings
  readonly after: ParsedSettings
}

const DEFAULT = 'default'
const OFF = 'off'

/**
 * Changes settings in the text of a file and keeps the rest of the text. Throws `SettingsError` for text that is not YAML, refused
 * changes, or all problems of the result: an invalid file is accepted if the changes fix it.
 */
export function changeSettings(text: string, changes: readonly SettingChange[], file: string): ChangedSettings {
  const before = parseSettings(text, file)
  if (!before.wellFormed) throw new SettingsError(before.problems)
  const edits = changes.map((change) => editOf(change, file))
  const refused = edits.flatMap((edit) => ('problem' in edit ? [edit.problem] : []))
  if (refused.length > 0) throw new SettingsError(refused)
  const changed = edits.reduce((now, edit) => ('path' in edit ? withValue(now, edit.path, edit.value) : now), text)
  const after = parseSettings(changed, file)
  if (after.problems.length > 0) throw new SettingsError(after.problems.map((problem) => withOldLine(problem, before)))
  return { text: changed, before, after }
}

type Edit = { readonly path: readonly [string, string?]; readonly value: NewValue } | { readonly problem: SettingsProblem }

function editOf({ key: name, words }: SettingChange, file: string): Edit {
  const key = fullKey(name)
  const refuse = (message: string) => ({ problem: { file, line: undefined, key: shownKey(key), message } })
  const keys = SETTINGS.map((declared) => declared.key)
  const setting = SETTINGS.find((declared) => declared.key === key)
  if (setting === undefined) return refuse(unknownKey(key, key, keys))
  const path = pathOf(key)
  const [word, ...others] = words
  if (word === undefined) return refuse(`${key} needs a value; default removes it`)
  if (others.length === 0 && word === DEFAULT) return { path, value: undefined }
  if (others.length === 0 && word === OFF && setting.shape !== 'one') return { path, value: undefined }
  if (setting.shape === 'list') return { path, value: words }
  if (setting.shape === 'map' && others.length === 0) return { path, value: mapIn(word) }
  return others.length === 0 ? { path, value: word } : refuse(`${key} takes one value: put it in quotes`)
}

/** A map written as YAML or JSON in one word; any other word stays, and is refused as in the file. */
function mapIn(word: string): NewValue {
  const { contents, errors } = yaml().parseDocument(word, { schema: 'failsafe' })
  return yaml().isMap(contents) && errors.length === 0 ? (contents.toJSON() as object) : word
}

function pathOf(key: string): readonly [string, string?] {
  const dot = key.indexOf('.')
  return dot < 0 ? [key] : [key.slice(0, dot), key.slice(dot + 1)]
}

/** An old problem keeps its line in the file; a new one has no line. */
function withOldLine(problem: SettingsProblem, before: ParsedSettings): SettingsProblem {
  const old = before.problems.find(({ key, message }) => key === problem.key && message === problem.message)
  return old ?? { ...problem, line: undefined }
}
