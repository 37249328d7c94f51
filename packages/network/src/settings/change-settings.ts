import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { Clock } from '@slotwire/core'
import { DurableFile, makeFolder, type YamlDocument, yaml } from '@slotwire/storage'
import { withFileLock } from '../operator-error.ts'
import { type ParsedSettings, parseSettings, unknownKey } from './parse-settings.ts'
import { SettingsError, type SettingsProblem, shownKey } from './setting.ts'
import { fullKey, settingNamed } from './settings.ts'
import { keysThatDiffer, readSettingsFile, SETTINGS_FILE, SETTINGS_MODE } from './settings-file.ts'

/** A setting and its new value, in words as typed. `default` removes the setting, `off` a list or a map. */
export interface SettingChange {
  /** As in `fullKey`: `doors.https-port` or `https-port`. */
  readonly key: string
  readonly words: readonly string[]
}

/**
 * Changes `settings.yaml` in a state folder, whether the service runs or not. Concurrent processes wait for each other. Resolves with
 * whether the file had to be written, and the keys whose value changed. Rejects with `SettingsError`, `OperatorError` or the system's
 * error, and then leaves the file unchanged.
 */
export async function changeSettingsFile(folder: string, clock: Clock, changes: readonly SettingChange[]) {
  makeFolder(folder)
  const file = new DurableFile(join(folder, SETTINGS_FILE), { mode: SETTINGS_MODE })
  return withFileLock(file.path, clock, () => {
    const stored = readSettingsFile(folder, SETTINGS_FILE)
    if (stored.text === undefined && stored.problems.length > 0) throw new SettingsError(stored.problems)
    const { text, before, after } = changeSettings(stored.text ?? '', changes, SETTINGS_FILE)
    const written = text !== (stored.text ?? '')
    if (written) file.write(text)
    return { written, changed: keysThatDiffer(before.settings, after.settings) }
  })
}

const DEFAULT = 'default'
const OFF = 'off'

/**
 * Changes settings in the text of a file and keeps the rest of the text. Returns the new text, and the settings before and after. Throws `SettingsError` for text that is not YAML, refused
 * changes, or all problems of the result: an invalid file is accepted if the changes fix it.
 */
export function changeSettings(text: string, changes: readonly SettingChange[], file: string) {
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

type Edit = { readonly path: SettingPath; readonly value: NewValue } | { readonly problem: SettingsProblem }

function editOf({ key: name, words }: SettingChange, file: string): Edit {
  const key = fullKey(name)
  const refuse = (message: string) => ({ problem: { file, line: undefined, key: shownKey(key), message } })
  const setting = settingNamed(key)
  if (setting === undefined) return refuse(unknownKey(key, key))
  const path = key.split('.') as [string, string?]
  const [word, ...others] = words
  if (word === undefined) return refuse(`${key} needs a value; default removes it`)
  if (others.length === 0 && word === DEFAULT) return { path, value: undefined }
  if (others.length === 0 && word === OFF && setting.shape !== 'one') return { path, value: undefined }
  if (setting.shape === 'list') return { path, value: words }
  if (others.length > 0) return refuse(`${key} takes one value: put it in quotes`)
  return { path, value: setting.shape === 'map' ? mapIn(word) : word }
}

/** A map written as YAML or JSON in one word; any other word stays, and is refused as in the file. */
function mapIn(word: string): NewValue {
  const { contents, errors } = yaml().parseDocument(word, { schema: 'failsafe' })
  return yaml().isMap(contents) && errors.length === 0 ? (contents.toJSON() as object) : word
}

/** An old problem keeps its line in the file; a new one has no line. */
function withOldLine(problem: SettingsProblem, before: ParsedSettings): SettingsProblem {
  const old = before.problems.find(({ key, message }) => key === problem.key && message === problem.message)
  return old ?? { ...problem, line: undefined }
}

/** One or two keys. */
type SettingPath = readonly [string, string?]

/** The new value: a word, a list of words, a map, or undefined to remove it. */
export type NewValue = string | readonly string[] | object | undefined

/**
 * Sets or removes the value at a path. Comments of removed parts go above the next key of the file; spaces may change. `settingsTree` must
 * find no faults in `text`.
 */
export function withValue(text: string, path: SettingPath, value: NewValue): string {
  const { isMap, isNode, isScalar, isSeq, parseDocument } = yaml()
  // As in the reader: each value is text, or one of the words for no value.
  const document: YamlDocument = parseDocument(text.replaceAll('\r\n', '\n'), { schema: 'failsafe', customTags: ['null'] })
  const old = document.getIn(path, true)
  const isSame = value === undefined ? !document.hasIn(path) : isNode(old) && isDeepStrictEqual(old.toJSON(), value)
  if (isSame) return text
  const root = isMap(document.contents) ? document.contents : document.createNode({})
  document.contents = root
  const [key, inner] = path
  const entries: readonly { readonly key: unknown }[] = root.items
  const place = entries.findIndex((entry) => isScalar(entry.key) && entry.key.value === key)
  if (value === undefined) {
    document.deleteIn(path)
    const group = document.get(key)
    if (isMap(group) && group.items.length === 0) document.delete(key)
  } else {
    if (inner !== undefined && !isMap(document.get(key))) document.set(key, document.createNode({}))
    if (typeof value === 'string') document.setIn(path, value)
    else if (!isSeq(old) || !Array.isArray(value)) document.setIn(path, document.createNode(value, { flow: true }))
    else
      old.items = value.map(
        (word) => old.items.find((item) => isScalar(item) && item.value === word) ?? document.createNode(word),
      )
  }
  const written = () => (entries.length === 0 ? '' : document.toString({ lineWidth: 0, flowCollectionPadding: false }))
  const kept = commentsIn(written())
  const lost = commentsIn(text).filter((comment) => {
    const at = kept.indexOf(comment)
    return at < 0 || kept.splice(at, 1).length === 0
  })
  const below = entries[place]?.key
  if (lost.length === 0 || !isScalar(below)) return written() + lost.map((comment) => `${comment}\n`).join('')
  below.commentBefore = [...lost.map((comment) => comment.slice(1)), below.commentBefore ?? []].flat().join('\n')
  return written()
}

function commentsIn(text: string): string[] {
  return [...new (yaml().Lexer)().lex(text)].filter((lexeme) => lexeme.startsWith('#')).map((comment) => comment.trimEnd())
}
