import { join } from 'node:path'
import type { Log } from '@slotwire/core'
import { DurableFile } from '@slotwire/storage'
import { SETTINGS, settingsOf } from './declarations.ts'
import { formatProblem, SettingsError, type SettingsProblem } from './problem.ts'
import { LAST_GOOD_FILE, readSettingsFile, SETTINGS_FILE, SETTINGS_MODE, type StoredSettings } from './read-settings-file.ts'
import type { Setting } from './setting.ts'
import type { Settings } from './settings.ts'

export interface SettingsFileOptions {
  /** The state folder. */
  readonly folder: string
  /** Names of the services that there are. */
  readonly services: readonly string[]
  readonly log: Log
}

/** What came of reading the settings anew. */
export interface ReloadedSettings {
  /** In force from now on. */
  readonly settings: Settings
  /** What is wrong with the file; then nothing has changed. */
  readonly problems: readonly SettingsProblem[]
  /** Keys that have another value from now on. */
  readonly changed: readonly string[]
  /** Keys that have another value in the file, which takes effect at the next start. */
  readonly waiting: readonly string[]
}

/** `settings.yaml` of a running service, which owns the state folder. A broken file never takes its settings away. */
export class SettingsFile {
  readonly #options: SettingsFileOptions
  readonly #lastGood: DurableFile
  #inForce: Settings | undefined

  constructor(options: SettingsFileOptions) {
    this.#options = options
    this.#lastGood = new DurableFile(join(options.folder, LAST_GOOD_FILE), { mode: SETTINGS_MODE })
  }

  /**
   * The settings to start with. Those of a broken file are replaced by the last good ones, and the log says so; without such ones, throws
   * `SettingsError`. Without a file all is default, and nothing is written.
   */
  load(): Settings {
    const { log } = this.#options
    const stored = this.#read(SETTINGS_FILE)
    if (stored.problems.length === 0) {
      this.#keep(stored)
      this.#inForce = stored.settings
      return stored.settings
    }
    const lastGood = this.#read(LAST_GOOD_FILE)
    if (lastGood.text === undefined || lastGood.problems.length > 0) throw new SettingsError(stored.problems)
    this.#tell(stored.problems)
    log.error(
      { file: SETTINGS_FILE, lastGood: LAST_GOOD_FILE },
      'the settings are broken: those of the last good file are in force',
    )
    this.#inForce = lastGood.settings
    return lastGood.settings
  }

  /** Reads the file again. What a running service cannot change keeps its value until the next start. Throws as `load` before it. */
  reload(): ReloadedSettings {
    const before = this.#inForce ?? this.load()
    const { problems, ...stored } = this.#read(SETTINGS_FILE)
    if (problems.length > 0) {
      this.#tell(problems)
      this.#options.log.error({ file: SETTINGS_FILE }, 'the settings are broken: nothing has changed')
      return { settings: before, problems, changed: [], waiting: [] }
    }
    this.#keep(stored)
    const settings = settingsOf(({ name, effect }) => (effect === 'start' ? before : stored.settings)[name])
    this.#inForce = settings
    const changed = keysThatDiffer(before, settings)
    const waiting = keysThatDiffer(settings, stored.settings)
    this.#options.log.info({ changed, waiting }, 'the settings were read again')
    return { settings, problems, changed, waiting }
  }

  #read(name: string): StoredSettings {
    return readSettingsFile(this.#options.folder, name, this.#options.services)
  }

  #tell(problems: readonly SettingsProblem[]): void {
    for (const problem of problems) this.#options.log.error(problem, formatProblem(problem))
  }

  /** Where it cannot be written the settings are good all the same. */
  #keep({ text }: Pick<StoredSettings, 'text'>): void {
    try {
      const { text: kept } = this.#read(LAST_GOOD_FILE)
      if (text === kept) return
      if (text === undefined) this.#lastGood.remove()
      else this.#lastGood.write(text)
    } catch (error) {
      this.#options.log.warn(
        { err: error, file: LAST_GOOD_FILE },
        'the settings could not be kept for a start with a broken file',
      )
    }
  }
}

/** Keys of settings with different values. */
export function keysThatDiffer(one: Settings, other: Settings): readonly string[] {
  const word = (setting: Setting, settings: Settings) => JSON.stringify(setting.plain(settings))
  return SETTINGS.filter((setting) => word(setting, one) !== word(setting, other)).map(({ key }) => key)
}
