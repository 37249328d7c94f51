/** What is known of an access token: everything but the token itself. */
export interface Token {
  /** Part of the token's text; public. */
  readonly id: string
  /** For people; unique. */
  readonly name: string
  readonly readOnly: boolean
  /** Services (`io`, `power`) that it opens; undefined: all. */
  readonly services: readonly string[] | undefined
  /** ISO 8601. */
  readonly created: string
  /** ISO 8601; undefined: never. */
  readonly expires: string | undefined
}

/** Longest name of a token, in characters. */
const LONGEST_NAME = 64
const LENGTH = new RegExp(`^.{1,${LONGEST_NAME}}$`, 'su')
/** Letters, marks, digits, punctuation, symbols and plain spaces: nothing that a terminal or a log would act on. */
const PRINTABLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]+$/u

/** Who else does something in the audit log: no token may pass for them. */
const TAKEN = new Set(['local', 'service', 'nobody'])

/** What is wrong with a name for a new token; undefined: nothing. */
export function newNameProblem(name: string): string | undefined {
  if (!TAKEN.has(name.toLowerCase())) return nameProblem(name)
  return `the name must be none of ${[...TAKEN].join(', ')}: the audit log calls others so; choose another name`
}

/** What is wrong with a token's name; undefined: nothing. */
export function nameProblem(name: string): string | undefined {
  if (!LENGTH.test(name)) return `the name must have 1…${LONGEST_NAME} characters`
  if (!PRINTABLE.test(name)) return 'the name must have printable characters alone'
  if (name.trim() !== name) return 'the name must not begin or end with a space'
  return undefined
}
