import { isRecord } from '@slotwire/core'

/** Highest figure in a message: known peers keep figures in 16 bits; wire-protocol.md section 4. */
export const HIGHEST_FIGURE = 65_535
/** Longest text in a message, in characters: whatever they are, the message stays below its limit. */
export const LONGEST_TEXT = 500

/** What a field of a message may hold: a whole number from 0, true or false, text, or a version of this protocol. */
export type Field =
  | { readonly type: 'integer'; readonly highest: number }
  | { readonly type: 'flag' }
  | { readonly type: 'text' }
  | { readonly type: 'version' }
  | { readonly type: 'optional-text' }

export type Fields = Readonly<Record<string, Field>>

type FieldValue<One extends Field> = One['type'] extends 'integer'
  ? number
  : One['type'] extends 'flag'
    ? boolean
    : One['type'] extends 'optional-text'
      ? string | undefined
      : string

/** The message that fields make, as JSON has it. */
export type ValueOf<Message extends Fields> = { readonly [Name in keyof Message]: FieldValue<Message[Name]> }

/** Something that is no message: too long, no JSON, or with a field that does not fit. */
export class MessageError extends Error {
  override readonly name = 'MessageError'
}

const VERSION = /^1\.\d+\.\d+$/

/** Throws `MessageError` with the first field that does not fit. Unknown fields are let pass. */
export function assertFits<Message extends Fields>(fields: Message, value: unknown): asserts value is ValueOf<Message> {
  if (!isRecord(value)) throw new MessageError(`${shown(value)} is no JSON object`)
  for (const [name, field] of Object.entries(fields)) {
    const found = Object.hasOwn(value, name) ? value[name] : undefined
    if (fits(field, found)) continue
    throw new MessageError(found === undefined ? `${name} is missing` : `${name} is ${shown(found)}, not ${expectation(field)}`)
  }
}

function fits(field: Field, value: unknown): boolean {
  switch (field.type) {
    case 'integer':
      return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= field.highest
    case 'flag':
      return typeof value === 'boolean'
    case 'text':
      return typeof value === 'string'
    case 'version':
      return typeof value === 'string' && VERSION.test(value)
    case 'optional-text':
      return value === undefined || typeof value === 'string'
  }
}

function expectation(field: Field): string {
  switch (field.type) {
    case 'integer':
      return `a whole number from 0 to ${field.highest}`
    case 'flag':
      return 'true or false'
    case 'version':
      return 'a version 1.x.x'
    default:
      return 'text'
  }
}

/** Most characters of a foreign value in an error. */
const SHOWN_CHARACTERS = 60

function shown(value: unknown): string {
  const text = JSON.stringify(value)
  return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text
}
