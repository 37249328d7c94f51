import type { Entry } from '@slotwire/storage'
import { DEFAULT_SETTINGS, settingsOf } from './declarations.ts'
import { findEntries } from './find-entries.ts'
import type { SettingsProblem } from './problem.ts'
import { contradictionsIn } from './rules.ts'
import type { SettingReader } from './setting.ts'
import type { Settings } from './settings.ts'
import { type SettingsTree, settingsTree } from './settings-tree.ts'

/** A file that people write is a hundredth of it. */
export const MOST_SETTINGS_BYTES = 32_768
/** More than anybody mends in one go. */
const MOST_PROBLEMS = 30

/** What a settings file is, beside its text. */
export interface SettingsSource {
  /** Name of the file, for messages. */
  readonly file: string
  /** Names of the services that there are. */
  readonly services: readonly string[]
}

/** A settings file as it was understood. */
export interface ParsedSettings {
  /** Of use only without problems. */
  readonly settings: Settings
  /** Keys that the file has; all others have their defaults. */
  readonly given: ReadonlySet<string>
  /** It is YAML without faults, whatever it says. */
  readonly wellFormed: boolean
  /** By line. */
  readonly problems: readonly SettingsProblem[]
}

/** What the text of a settings file means, or all that is wrong with it. Never throws. */
export function parseSettings(text: string, source: SettingsSource): ParsedSettings {
  if (text.length <= MOST_SETTINGS_BYTES) return new SettingsParser(settingsTree(text), source).parse()
  const problem = {
    file: source.file,
    line: undefined,
    key: undefined,
    message: `is too large: at most ${MOST_SETTINGS_BYTES} bytes`,
  }
  return { settings: DEFAULT_SETTINGS, given: new Set(), wellFormed: false, problems: [problem] }
}

/** Goes through a file once, and keeps all that is wrong. */
class SettingsParser implements SettingReader {
  readonly services: readonly string[]
  readonly #tree: SettingsTree
  readonly #file: string
  readonly #problems: SettingsProblem[] = []
  readonly #places = new Set<number>()

  constructor(tree: SettingsTree, { file, services }: SettingsSource) {
    this.#tree = tree
    this.#file = file
    this.services = services
  }

  parse(): ParsedSettings {
    const { root, faults } = this.#tree
    for (const { at, message } of faults) this.#add(at, undefined, message)
    const found = findEntries(root, (at, message, key) => this.report(at, message, key))
    const settings = settingsOf((setting) => {
      const entry = found.get(setting.key)
      return entry === undefined ? setting.fallback : setting.read(entry.value, this)
    })
    this.#compare(settings, found)
    const problems = this.#problems.sort((a, b) => (a.line ?? 0) - (b.line ?? 0))
    return { settings, given: new Set(found.keys()), wellFormed: faults.length === 0, problems: problems.slice(0, MOST_PROBLEMS) }
  }

  report(at: number, message: string, key?: string): void {
    if (at < this.#tree.brokenAt) this.#add(at, key, message)
  }

  #add(at: number, key: string | undefined, message: string): void {
    // What is said of the same place afterwards follows from what was said first.
    if (this.#places.has(at)) return
    this.#places.add(at)
    this.#problems.push({ file: this.#file, line: this.#tree.placeOf(at).line, key, message })
  }

  /** Only settings that are right one by one can be compared. */
  #compare(settings: Settings, found: ReadonlyMap<string, Entry>): void {
    const wrong = new Set(this.#problems.map(({ key }) => key))
    for (const { keys, message } of contradictionsIn(settings)) {
      const told = keys.find((key) => found.has(key))
      const other = keys.find((key) => key !== told) ?? ''
      const entry = told === undefined ? undefined : found.get(told)
      if (entry !== undefined && !keys.some((key) => wrong.has(key))) this.report(entry.keySpan.start, message(other), told)
    }
  }
}
