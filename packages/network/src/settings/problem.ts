import { quoted } from '@slotwire/core'

/** A problem in a settings file, for its author. */
export interface SettingsProblem {
  /** Name of the file, without folder. */
  readonly file: string
  /** From 1; undefined: the whole file, or a value from elsewhere. */
  readonly line: number | undefined
  /** The setting with its group (`doors.https-port`); undefined: no particular one. */
  readonly key: string | undefined
  /** The problem and its remedy. */
  readonly message: string
}

/** A problem in the form for users: `settings.yaml:4: doors.https-port: …`. */
export function formatProblem({ file, line, key, message }: SettingsProblem): string {
  const place = line === undefined ? file : `${file}:${line}`
  return `${place}: ${withKey(key, message)}`
}

/** A message that is the rest of a sentence about its key continues it: `doors.https-port is out of range: …`. */
export function withKey(key: string | undefined, message: string): string {
  if (key === undefined) return message
  return /^(is|must|has|needs|takes|holds|contains) /.test(message) ? `${key} ${message}` : `${key}: ${message}`
}

/** Invalid settings, with all problems. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError'
  readonly problems: readonly SettingsProblem[]

  constructor(problems: readonly SettingsProblem[]) {
    super(problems.map(formatProblem).join('\n'))
    this.problems = problems
  }
}

/** A key as a message shows it; unusual ones are quoted. */
export function shownKey(key: string): string {
  return /^[\w.-]{1,60}$/.test(key) ? key : quoted(key)
}
