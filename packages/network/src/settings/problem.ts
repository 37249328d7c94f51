import { quoted } from '@slotwire/core'

/** A problem in a settings file, for its author. */
export interface SettingsProblem {
  /** Name of the file, without folder. */
  readonly file: string
  /** From 1; undefined: the whole file, or a value from elsewhere. */
  readonly line: number | undefined
  /** The setting with its group (`doors.https-port`); undefined: no particular one. */
  readonly key: string | undefined
  /** A sentence with the key, the problem and its remedy. */
  readonly message: string
}

/** A problem in the form for users: `settings.yaml:4: doors.https-port is out of range: …`. */
export function formatProblem({ file, line, message }: SettingsProblem): string {
  return `${line === undefined ? file : `${file}:${line}`}: ${message}`
}

/** Invalid settings, with all problems. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError'

  constructor(readonly problems: readonly SettingsProblem[]) {
    super(problems.map(formatProblem).join('\n'))
  }
}

/** A key as a message shows it; unusual ones are quoted. */
export function shownKey(key: string): string {
  return /^[\w.-]{1,60}$/.test(key) ? key : quoted(key)
}
