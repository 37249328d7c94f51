import { join } from 'node:path'
import { codeOf, type Log, messageOf, orElse } from '@slotwire/core'
import { DurableFile, readBytes, UnusableFileError, type WriteGuard } from '@slotwire/storage'
import { type ParsedSettings, parseSettings, unparsed } from './parse-settings.ts'
import { formatProblem, SettingsError, type SettingsProblem } from './setting.ts'
import { DEFAULT_SETTINGS, SETTINGS, type Setting, type Settings, settingsOf } from './settings.ts'

/** The operator's settings file, in the state folder. */
export const SETTINGS_FILE = 'settings.yaml'
/** The last settings that a service accepted, in the same folder. */
export const LAST_GOOD_FILE = 'settings.last-good.yaml'

/** Settings are not secret. */
export const SETTINGS_MODE = 0o644

/** A settings file as read; `text` is undefined if there is no file: then all settings have their defaults. */
export interface StoredSettings extends ParsedSettings {
  readonly text: string | undefined
}

/** Reads a settings file. An unreadable file is reported as a problem. */
export function readSettingsFile(folder: string, name: string): StoredSettings {
  try {
    const bytes = readBytes(join(folder, name))
    // Without a file, the YAML library is not even loaded.
    if (bytes !== undefined) return parseSettingsFile(bytes, name)
    return { text: undefined, settings: DEFAULT_SETTINGS, keys: new Set(), wellFormed: true, problems: [] }
  } catch (error) {
    if (error instanceof UnusableFileError) return unread(name, error.reason)
    if (codeOf(error) === 'EISDIR') return unread(name, 'is not a file: remove it, or put a file there')
    return unread(name, `cannot be read (${messageOf(error)}): let the service’s user read ${name}`)
  }
}

/** The settings that a start would use: those of the file or, if it has mistakes, the last good ones. Undefined: the start would fail. */
export function usableSettings(folder: string): Settings | undefined {
  const { problems, settings } = readSettingsFile(folder, SETTINGS_FILE)
  if (problems.length === 0) return settings
  const lastGood = readSettingsFile(folder, LAST_GOOD_FILE)
  return lastGood.text === undefined || lastGood.problems.length > 0 ? undefined : lastGood.settings
}

/** Parses a file that was read already. */
export function parseSettingsFile(bytes: Uint8Array, name: string): StoredSettings {
  const text = orElse(undefined, () => new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  if (text !== undefined) return { text, ...parseSettings(text, name) }
  return unread(name, 'is not UTF-8: save the file in this encoding', badLine(bytes))
}

const unread = (...problem: Parameters<typeof unparsed>): StoredSettings => ({ text: undefined, ...unparsed(...problem) })

/** The first line with invalid UTF-8. */
function badLine(bytes: Uint8Array): number {
  const lines = Buffer.from(bytes).toString('latin1').split('\n')
  return (
    1 + lines.findIndex((line) => Buffer.from(Buffer.from(line, 'latin1').toString('utf8'), 'utf8').toString('latin1') !== line)
  )
}

/** `settings.yaml` of a running service, which holds the lock on the state folder. A broken file never changes the settings in force. */
export class SettingsFile {
  readonly #lastGood: DurableFile
  #current: Settings | undefined
  #isBroken = false

  /** `folder`: the state folder. */
  constructor(private readonly options: { readonly folder: string; readonly log: Log; readonly guard?: WriteGuard }) {
    this.#lastGood = new DurableFile(join(options.folder, LAST_GOOD_FILE), {
      mode: SETTINGS_MODE,
      guard: options.guard,
    })
  }

  /** A sentence for operators while the file is broken. */
  get warnings(): readonly string[] {
    return this.#isBroken ? [`settings: ${SETTINGS_FILE} is broken: earlier settings are in force`] : []
  }

  /**
   * Loads the settings at start. If the file is broken, returns the last good settings and logs the problems; throws `SettingsError`
   * without them. Without a file all settings have their defaults, and nothing is written.
   */
  load(): Settings {
    const { problems, settings } = this.#readAndKeep()
    this.#current = problems.length === 0 ? settings : this.#loadLastGood(problems)
    return this.#current
  }

  #loadLastGood(problems: readonly SettingsProblem[]): Settings {
    const lastGood = readSettingsFile(this.options.folder, LAST_GOOD_FILE)
    if (lastGood.text === undefined || lastGood.problems.length > 0) throw new SettingsError(problems)
    this.#logProblems(problems)
    const files = { file: SETTINGS_FILE, lastGood: LAST_GOOD_FILE }
    this.options.log.error(files, 'the settings are broken: the last good settings are in force')
    return lastGood.settings
  }

  /**
   * Reads the file again. Settings that a running service cannot change keep their values until the next start. Returns the settings in
   * force now, the problems of the file (if there are any, nothing changed), the keys whose value changed, and `waiting`: those whose value
   * changes at the next start. Throws like `load`.
   */
  reload() {
    const before = this.#current ?? this.load()
    const { problems, ...stored } = this.#readAndKeep()
    if (problems.length > 0) {
      this.#logProblems(problems)
      this.options.log.error({ file: SETTINGS_FILE }, 'the settings are broken: nothing has changed')
      return { settings: before, problems, changed: [], waiting: [] }
    }
    const settings = settingsOf(({ name, effect }) => (effect === 'start' ? before : stored.settings)[name])
    this.#current = settings
    const changed = keysThatDiffer(before, settings)
    const waiting = keysThatDiffer(settings, stored.settings)
    this.options.log.info({ changed, waiting }, 'the settings were read again')
    return { settings, problems, changed, waiting }
  }

  #logProblems(problems: readonly SettingsProblem[]): void {
    for (const problem of problems) this.options.log.error(problem, formatProblem(problem))
  }

  /** Reads the file, and saves a good one as the last good settings. Failing to write it is no error, only a warning. */
  #readAndKeep(): StoredSettings {
    const stored = readSettingsFile(this.options.folder, SETTINGS_FILE)
    this.#isBroken = stored.problems.length > 0
    if (this.#isBroken) return stored
    const { text } = stored
    try {
      const { text: kept } = readSettingsFile(this.options.folder, LAST_GOOD_FILE)
      if (text === kept) return stored
      if (text === undefined) this.#lastGood.remove()
      else this.#lastGood.write(text)
    } catch (error) {
      this.options.log.warn({ err: error, file: LAST_GOOD_FILE }, 'the last good settings could not be saved')
    }
    return stored
  }
}

/** Keys of settings with different values. */
export function keysThatDiffer(one: Settings, other: Settings): readonly string[] {
  const word = ({ name, plain }: Setting, settings: Settings) => JSON.stringify(plain(settings[name]))
  return SETTINGS.filter((setting) => word(setting, one) !== word(setting, other)).map(({ key }) => key)
}
