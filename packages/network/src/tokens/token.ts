import type { Token as DoorToken } from '@slotwire/edge'

/** An access token without its secret. */
export interface Token extends DoorToken {
  /** ISO 8601. */
  readonly created: string
  /** ISO 8601; undefined: never. */
  readonly expires: string | undefined
}

/** Longest name of a token, in characters. */
const LONGEST_NAME = 64
const LENGTH = new RegExp(`^.{1,${LONGEST_NAME}}$`, 'su')
/** Letters, marks, digits, punctuation, symbols and plain spaces: no characters that control a terminal or a log. */
const PRINTABLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]+$/u

/** Other authors in the audit log: a token must not have their names. */
const TAKEN = new Set(['local', 'service', 'nobody'])

/** The problem with a name for a new token; undefined: none. */
export function newNameProblem(name: string): string | undefined {
  if (!TAKEN.has(name.toLowerCase())) return nameProblem(name)
  return `the names ${[...TAKEN].join(', ')} are reserved for the audit log: choose another name`
}

/** The problem with a token's name; undefined: none. */
export function nameProblem(name: string): string | undefined {
  if (!LENGTH.test(name)) return `the name must have 1…${LONGEST_NAME} characters`
  if (!PRINTABLE.test(name)) return 'the name must have only printable characters'
  if (name.trim() !== name) return 'the name must not begin or end with a space'
  return undefined
}
