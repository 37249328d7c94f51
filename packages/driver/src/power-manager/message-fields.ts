/** Highest figure in a message: known peers keep figures in 16 bits; wire-protocol.md section 4. */
export const HIGHEST_FIGURE = 65_535
/** Longest text in a message, in characters: whatever they are, the message stays below its limit. */
export const LONGEST_TEXT = 500

/** What a field of a message may hold, and the words for it. */
export interface Field<Value> {
  readonly fits: (value: unknown) => value is Value
  readonly expectation: string
}

export type Fields = Readonly<Record<string, Field<unknown>>>

/** The message that fields make, as JSON has it. */
export type ValueOf<Message extends Fields> = {
  readonly [Name in keyof Message]: Message[Name] extends Field<infer Value> ? Value : never
}

const VERSION = /^1\.\d+\.\d+$/
const isText = (value: unknown): value is string => typeof value === 'string'

export const flag: Field<boolean> = { fits: (value) => typeof value === 'boolean', expectation: 'true or false' }
export const text: Field<string> = { fits: isText, expectation: 'text' }
export const optionalText: Field<string | undefined> = {
  fits: (value) => value === undefined || isText(value),
  expectation: 'text',
}
/** A version of this protocol. */
export const version: Field<string> = {
  fits: (value): value is string => isText(value) && VERSION.test(value),
  expectation: 'a version 1.x.x',
}

/** A whole number from 0. */
export function integer(highest: number): Field<number> {
  return {
    fits: (value): value is number => Number.isInteger(value) && Number(value) >= 0 && Number(value) <= highest,
    expectation: `a whole number from 0 to ${highest}`,
  }
}

/** Something that is no message: too long, no JSON, or with a field that does not fit. */
export class MessageError extends Error {
  override readonly name = 'MessageError'
}

/** Throws `MessageError` with the first field that does not fit. Unknown fields are let pass. */
export function assertFits<Message extends Fields>(fields: Message, value: unknown): asserts value is ValueOf<Message> {
  if (!isObject(value)) throw new MessageError(`${shown(value)} is no JSON object`)
  for (const [name, field] of Object.entries(fields)) {
    const found = Object.hasOwn(value, name) ? value[name] : undefined
    if (field.fits(found)) continue
    throw new MessageError(found === undefined ? `${name} is missing` : `${name} is ${shown(found)}, not ${field.expectation}`)
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Most characters of a foreign value in an error. */
const SHOWN_CHARACTERS = 60

function shown(value: unknown): string {
  const text = JSON.stringify(value)
  return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text
}
