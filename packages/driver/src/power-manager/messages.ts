import { isRecord, visible } from '@slotwire/core'
import type { PowerDecision, RailPower } from '../power/power-budget.ts'

/** Highest figure in a message: known peers store figures in 16 bits; wire-protocol.md section 4. */
const HIGHEST_FIGURE = 65_535
/** Longest text in a message, in characters: any text of this length keeps the message below its limit. */
const LONGEST_TEXT = 500

/** The values that a field of a message may have, and a description of them. */
interface Field<Value> {
  readonly fits: (value: unknown) => value is Value
  readonly expectation: string
}

export type Fields = Readonly<Record<string, Field<unknown>>>

/** The type of a message with these fields. */
export type ValueOf<Message extends Fields> = {
  readonly [Name in keyof Message]: Message[Name] extends Field<infer Value> ? Value : never
}

const VERSION = /^1\.\d+\.\d+$/
const isText = (value: unknown): value is string => typeof value === 'string'

const flag: Field<boolean> = { fits: (value) => typeof value === 'boolean', expectation: 'true or false' }
const text: Field<string> = { fits: isText, expectation: 'text' }
const optionalText: Field<string | undefined> = {
  fits: (value) => value === undefined || isText(value),
  expectation: 'text',
}
/** A version of this protocol. */
const version: Field<string> = {
  fits: (value): value is string => isText(value) && VERSION.test(value),
  expectation: 'a version 1.x.x',
}

/** A whole number from 0 to `highest`. */
function integer(highest: number): Field<number> {
  return {
    fits: (value): value is number => Number.isInteger(value) && Number(value) >= 0 && Number(value) <= highest,
    expectation: `a whole number from 0 to ${highest}`,
  }
}

/** Not a valid message: too long, not JSON, or with a wrong field. */
export class MessageError extends Error {
  override readonly name = 'MessageError'
}

/** Throws `MessageError` for the first wrong field. Unknown fields are ignored. */
function assertFits<Message extends Fields>(fields: Message, value: unknown): asserts value is ValueOf<Message> {
  if (!isRecord(value)) throw new MessageError(`${shown(value)} is not a JSON object`)
  for (const [name, field] of Object.entries(fields)) {
    const found = Object.hasOwn(value, name) ? value[name] : undefined
    if (field.fits(found)) continue
    throw new MessageError(found === undefined ? `${name} is missing` : `${name} is ${shown(found)}, not ${field.expectation}`)
  }
}

/** Longest part of a received value in an error message, in characters. */
const SHOWN_CHARACTERS = 60

function shown(value: unknown): string {
  return visible(JSON.stringify(value), SHOWN_CHARACTERS)
}

/** The protocol version that this program sends. */
const PROTOCOL_VERSION = '1.0.0'
/** Longest message in bytes, without its length field; wire-protocol.md section 4. */
export const LONGEST_MESSAGE = 4096
/** Size of the length field in front of a message, in bytes. */
export const LENGTH_BYTES = 4
const HIGHEST_SLOT = 7

const milliwatt = integer(HIGHEST_FIGURE)

/** The head of every message. A reply may have any `msg_type`, or none; wire-protocol.md section 4. */
const replyHead = { protocol_version: version } as const satisfies Fields
const requestHead = { ...replyHead, msg_type: text } as const satisfies Fields

/** From the driver: may the module in this slot use this much from now on? */
export const powerRequest = {
  ...requestHead,
  slot_number: integer(HIGHEST_SLOT),
  max_power_3v3: milliwatt,
  max_power_5v0: milliwatt,
  max_power_12v: milliwatt,
} as const satisfies Fields

/** The answer to `powerRequest`. `message` is our extension: why no decision was made. */
export const powerReply = {
  ...replyHead,
  successful: flag,
  to_much_power_3v3: milliwatt,
  to_much_power_5v0: milliwatt,
  to_much_power_12v: milliwatt,
  message: optionalText,
} as const satisfies Fields

/** From the driver: the grant has been applied, or, if false, given back. */
export const actionDone = { ...requestHead, action_done: flag } as const satisfies Fields

/** The answer to `actionDone`. */
export const actionReply = { ...replyHead, successful: flag, message: optionalText } as const satisfies Fields

type Body<Message extends Fields> = Omit<ValueOf<Message>, keyof typeof requestHead>

/**
 * The bytes of a message with its length in front, in one piece: known peers read a body with a single call. Throws `MessageError` for a
 * figure that does not fit.
 */
export function encodeMessage<Message extends Fields>(
  fields: Message,
  type: 'request' | 'response',
  values: Body<Message>,
): Buffer {
  const message = { protocol_version: PROTOCOL_VERSION, msg_type: type, ...values }
  assertFits(fields, message)
  const body = Buffer.from(JSON.stringify(message))
  const bytes = Buffer.alloc(LENGTH_BYTES + body.length)
  bytes.writeUInt32LE(body.length)
  body.copy(bytes, LENGTH_BYTES)
  return bytes
}

/** Parses the body of a message. Throws `MessageError`. */
export function decodeMessage<Message extends Fields>(fields: Message, body: Uint8Array): ValueOf<Message> {
  const message = parse(body)
  assertFits(fields, message)
  return message
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

function parse(body: Uint8Array): unknown {
  try {
    return JSON.parse(utf8.decode(body))
  } catch (error) {
    throw new MessageError('it is not JSON', { cause: error })
  }
}

/** The request for the power of a slot. */
export function encodeRequest(slot: number, need: RailPower): Buffer {
  return encodeMessage(powerRequest, 'request', {
    slot_number: slot,
    max_power_3v3: need.power3v3,
    max_power_5v0: need.power5v0,
    max_power_12v: need.power12v,
  })
}

/** The reply with a decision. A shortage above the protocol's highest figure is sent as that figure. */
export function encodeDecision({ granted, missing }: PowerDecision, message?: string): Buffer {
  return encodeMessage(powerReply, 'response', {
    successful: granted,
    to_much_power_3v3: Math.min(missing.power3v3, HIGHEST_FIGURE),
    to_much_power_5v0: Math.min(missing.power5v0, HIGHEST_FIGURE),
    to_much_power_12v: Math.min(missing.power12v, HIGHEST_FIGURE),
    message: message?.slice(0, LONGEST_TEXT),
  })
}

/** The milliwatt that a request asks for. */
export function needOf(request: ValueOf<typeof powerRequest>): RailPower {
  return { power3v3: request.max_power_3v3, power5v0: request.max_power_5v0, power12v: request.max_power_12v }
}

/** The decision in a reply. */
export function decisionOf(reply: ValueOf<typeof powerReply>): PowerDecision {
  const missing = {
    power3v3: reply.to_much_power_3v3,
    power5v0: reply.to_much_power_5v0,
    power12v: reply.to_much_power_12v,
  }
  return { granted: reply.successful, missing }
}
