import { visible } from '@slotwire/core'

/** Something in a settings file that whoever wrote it can mend. */
export interface SettingsProblem {
  /** Name of the file, without folder. */
  readonly file: string
  /** From 1; undefined: the file as a whole, or a value that does not come from it. */
  readonly line: number | undefined
  /** The setting with the groups around it (`doors.https-port`); undefined: none in particular. */
  readonly key: string | undefined
  /** What is wrong, and what to do about it. */
  readonly message: string
}

/** A problem as people read it: `settings.yaml:4: doors.https-port: …`. */
export function formatProblem({ file, line, key, message }: SettingsProblem): string {
  const place = line === undefined ? file : `${file}:${line}`
  return key === undefined ? `${place}: ${message}` : `${place}: ${key}: ${message}`
}

/** Settings that cannot be taken, with everything that is wrong with them. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError'
  readonly problems: readonly SettingsProblem[]

  constructor(problems: readonly SettingsProblem[]) {
    super(problems.map(formatProblem).join('\n'))
    this.problems = problems
  }
}

/** A word of a message is shown so long at most. */
const SHOWN_LENGTH = 40

/** What somebody wrote, as a message repeats it. */
export function quoted(text: string): string {
  return `"${visible(text, SHOWN_LENGTH)}"`
}

/** A key, however odd, as a message names it. */
export function shownKey(key: string): string {
  return /^[\w.-]{1,60}$/.test(key) ? key : quoted(key)
}
