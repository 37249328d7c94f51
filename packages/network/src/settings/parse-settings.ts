import { nearest, unknownField } from '@slotwire/core'
import { type Entry, type MapTree, readTree, type Tree } from '@slotwire/storage'
import { contradictionsIn } from './rules.ts'
import { type SettingReader, type SettingsProblem, shownKey } from './setting.ts'
import { DEFAULT_SETTINGS, fullKey, SETTINGS, type Settings, settingsOf } from './settings.ts'

/** Files written by people have about a hundredth of this. */
const MAX_SETTINGS_BYTES = 32_768
/** More problems would not help. */
const MAX_PROBLEMS = 30

/** Settings have five levels. */
const MAX_LEVELS = 8

/** Parses the text of a settings file as YAML. Never throws. If the text is not a map, `root` has no entries and there is a fault. */
export function settingsTree(text: string) {
  const { root, faults, ...read } = readTree(text, MAX_LEVELS)
  if (root.kind === 'map') return { root, faults, ...read }
  const none: MapTree = { kind: 'map', start: text.length, end: text.length, entries: [] }
  const fault = { at: root.start, message: 'this is not a list of settings: write key: value in each line' }
  return { root: none, faults: root.kind === 'nothing' ? faults : [...faults, fault], ...read }
}

/** A parsed settings file. */
export interface ParsedSettings {
  /** Valid only without problems. */
  readonly settings: Settings
  /** Keys in the file; all others have their defaults. */
  readonly keys: ReadonlySet<string>
  /** True if the file is YAML without faults; its values may be invalid. */
  readonly wellFormed: boolean
  /** Sorted by line. */
  readonly problems: readonly SettingsProblem[]
}

/** Parses the text of a settings file and collects all problems; `file` is its name, for messages. Never throws. */
export function parseSettings(text: string, file: string): ParsedSettings {
  if (Buffer.byteLength(text) <= MAX_SETTINGS_BYTES) return new SettingsParser(settingsTree(text), file).parse()
  return unparsed(file, `is too large: at most ${MAX_SETTINGS_BYTES} bytes`)
}

/** A file that cannot be parsed. */
export function unparsed(file: string, message: string, line?: number): ParsedSettings {
  const problem = { file, line, key: undefined, message }
  return { settings: DEFAULT_SETTINGS, keys: new Set(), wellFormed: false, problems: [problem] }
}

const KEYS: readonly string[] = SETTINGS.map(({ key }) => key)
/** Valid keys at the top level: settings without a group, and groups. */
const TOP: readonly string[] = [...new Set(KEYS.map((key) => key.split('.')[0] ?? key))]

const keysIn = (group: string) => KEYS.filter((key) => key.startsWith(`${group}.`)).map((key) => key.slice(group.length + 1))

/** Parses a file once and collects all problems. */
class SettingsParser implements SettingReader {
  readonly #problems: SettingsProblem[] = []
  readonly #places = new Set<number>()

  constructor(
    private readonly tree: ReturnType<typeof settingsTree>,
    private readonly file: string,
  ) {}

  parse(): ParsedSettings {
    const { root, faults } = this.tree
    for (const { at, message } of faults) this.#add(at, undefined, message)
    const entries = this.#entriesIn(root)
    const settings = settingsOf((setting) => {
      const entry = entries.get(setting.key)
      return entry === undefined ? setting.fallback : setting.read(entry.value, this)
    })
    this.#compare(settings, entries)
    const problems = this.#problems.sort((a, b) => (a.line ?? 0) - (b.line ?? 0))
    return { settings, keys: new Set(entries.keys()), wellFormed: faults.length === 0, problems: problems.slice(0, MAX_PROBLEMS) }
  }

  report(at: number, message: string, key?: string): void {
    if (at < this.tree.brokenAt) this.#add(at, key, message)
  }

  attempt<Value>({ start }: Tree, key: string, read: () => Value): Value | undefined {
    try {
      return read()
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
      this.report(start, error.message, key)
      return undefined
    }
  }

  #add(at: number, key: string | undefined, message: string): void {
    // A second problem at the same place is a consequence of the first.
    if (this.#places.has(at)) return
    this.#places.add(at)
    this.#problems.push({ file: this.file, line: this.tree.placeOf(at).line, key, message })
  }

  /** The settings in the file, by their key. Reports unknown keys. */
  #entriesIn(root: MapTree): ReadonlyMap<string, Entry> {
    const settings = new Map<string, Entry>()
    for (const entry of root.entries) {
      const { key: group, keySpan, value } = entry
      const inner = keysIn(group)
      if (inner.length > 0) {
        for (const each of value.kind === 'map' ? value.entries : []) {
          const full = `${group}.${each.key}`
          if (inner.includes(each.key)) settings.set(full, each)
          else this.report(each.keySpan.start, unknownKey(full, each.key, inner), shownKey(full))
        }
        // A group may be empty, with all its settings commented out.
        if (value.kind === 'text' || value.kind === 'list') {
          const remedy = `write its settings below it, indented, as in ${inner[0] ?? ''}: …`
          this.report(value.start, `${group} is a group: ${remedy}`, group)
        }
      } else if (TOP.includes(group)) settings.set(group, entry)
      else this.report(keySpan.start, unknownAtTop(group), shownKey(group))
    }
    return settings
  }

  /** Compares only settings that are valid on their own. */
  #compare(settings: Settings, entries: ReadonlyMap<string, Entry>): void {
    const wrong = new Set(this.#problems.map(({ key }) => key))
    for (const { keys, message } of contradictionsIn(settings)) {
      const key = keys.find((each) => entries.has(each)) ?? ''
      const other = keys.find((each) => each !== key) ?? ''
      const entry = entries.get(key)
      if (entry !== undefined && !keys.some((each) => wrong.has(each)))
        this.report(entry.keySpan.start, `${key}: ${message(other)}`, key)
    }
  }
}

/** The sentence about a full key in one line, a missing group, or an unknown key. */
function unknownAtTop(key: string): string {
  const [group = '', inner] = fullKey(key).split('.')
  if (inner === undefined || !TOP.includes(group)) return unknownKey(key, key, TOP)
  return `${key} is unknown: write it below ${group}:, indented, as ${inner}: …`
}

/** The sentence about a key that does not exist; `written` is the part of it that `known` has. */
export const unknownKey = (key: string, written: string, known: readonly string[] = KEYS): string =>
  unknownField(shownKey(key), nearest(written, known), known)
