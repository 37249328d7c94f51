import { join } from 'node:path'
import type { Log } from '@slotwire/core'
import { DurableFile, type WriteGuard } from '@slotwire/storage'
import { SETTINGS, settingsOf } from './declarations.ts'
import { formatProblem, SettingsError, type SettingsProblem } from './problem.ts'
import { LAST_GOOD_FILE, readSettingsFile, SETTINGS_FILE, SETTINGS_MODE, type StoredSettings } from './read-settings-file.ts'
import type { Setting } from './setting.ts'
import type { Settings } from './settings.ts'

export interface SettingsFileOptions {
  /** The state folder. */
  readonly folder: string
  readonly log: Log
  readonly guard?: WriteGuard
}

/** Result of reading the settings again. */
export interface ReloadedSettings {
  /** The settings in force now. */
  readonly settings: Settings
  /** Problems of the file; if there are any, nothing changed. */
  readonly problems: readonly SettingsProblem[]
  /** Keys whose value changed. */
  readonly changed: readonly string[]
  /** Keys whose value changes at the next start. */
  readonly waiting: readonly string[]
}

/** `settings.yaml` of a running service, which holds the lock on the state folder. A broken file never changes the settings in force. */
export class SettingsFile {
  readonly #lastGood: DurableFile
  #current: Settings | undefined
  #isBroken = false

  constructor(private readonly options: SettingsFileOptions) {
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
    const { log } = this.options
    const stored = this.#read(SETTINGS_FILE)
    if (stored.problems.length === 0) {
      this.#saveLastGood(stored)
      this.#current = stored.settings
      return stored.settings
    }
    const lastGood = this.#read(LAST_GOOD_FILE)
    if (lastGood.text === undefined || lastGood.problems.length > 0) throw new SettingsError(stored.problems)
    this.#logProblems(stored.problems)
    log.error({ file: SETTINGS_FILE, lastGood: LAST_GOOD_FILE }, 'the settings are broken: the last good settings are in force')
    this.#current = lastGood.settings
    return lastGood.settings
  }

  /** Reads the file again. Settings that a running service cannot change keep their values until the next start. Throws like `load`. */
  reload(): ReloadedSettings {
    const before = this.#current ?? this.load()
    const { problems, ...stored } = this.#read(SETTINGS_FILE)
    if (problems.length > 0) {
      this.#logProblems(problems)
      this.options.log.error({ file: SETTINGS_FILE }, 'the settings are broken: nothing has changed')
      return { settings: before, problems, changed: [], waiting: [] }
    }
    this.#saveLastGood(stored)
    const settings = settingsOf(({ name, effect }) => (effect === 'start' ? before : stored.settings)[name])
    this.#current = settings
    const changed = keysThatDiffer(before, settings)
    const waiting = keysThatDiffer(settings, stored.settings)
    this.options.log.info({ changed, waiting }, 'the settings were read again')
    return { settings, problems, changed, waiting }
  }

  #read(name: string): StoredSettings {
    const stored = readSettingsFile(this.options.folder, name)
    if (name === SETTINGS_FILE) this.#isBroken = stored.problems.length > 0
    return stored
  }

  #logProblems(problems: readonly SettingsProblem[]): void {
    for (const problem of problems) this.options.log.error(problem, formatProblem(problem))
  }

  /** Saves the text as the last good settings. Failing to write it is no error, only a warning. */
  #saveLastGood({ text }: Pick<StoredSettings, 'text'>): void {
    try {
      const { text: kept } = this.#read(LAST_GOOD_FILE)
      if (text === kept) return
      if (text === undefined) this.#lastGood.remove()
      else this.#lastGood.write(text)
    } catch (error) {
      this.options.log.warn({ err: error, file: LAST_GOOD_FILE }, 'the last good settings could not be saved')
    }
  }
}

/** Keys of settings with different values. */
export function keysThatDiffer(one: Settings, other: Settings): readonly string[] {
  const word = (setting: Setting, settings: Settings) => JSON.stringify(setting.plain(settings))
  return SETTINGS.filter((setting) => word(setting, one) !== word(setting, other)).map(({ key }) => key)
}
