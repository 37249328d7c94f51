import { isRecord, visible } from '@slotwire/core'
import type { PowerDecision, RailPower } from '../power/power-budget.ts'

/** Highest figure in a message: known peers keep figures in 16 bits; wire-protocol.md section 4. */
const HIGHEST_FIGURE = 65_535
/** Longest text in a message, in characters: whatever they are, the message stays below its limit. */
const LONGEST_TEXT = 500

/** What a field of a message may hold, and the words for it. */
interface Field<Value> {
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

/** A whole number from 0. */
function integer(highest: number): Field<number> {
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
function assertFits<Message extends Fields>(fields: Message, value: unknown): asserts value is ValueOf<Message> {
  if (!isRecord(value)) throw new MessageError(`${shown(value)} is no JSON object`)
  for (const [name, field] of Object.entries(fields)) {
    const found = Object.hasOwn(value, name) ? value[name] : undefined
    if (field.fits(found)) continue
    throw new MessageError(found === undefined ? `${name} is missing` : `${name} is ${shown(found)}, not ${field.expectation}`)
  }
}

/** Most characters of a foreign value in an error. */
const SHOWN_CHARACTERS = 60

function shown(value: unknown): string {
  return visible(JSON.stringify(value), SHOWN_CHARACTERS)
}

/** The protocol's version as this program speaks it. */
const PROTOCOL_VERSION = '1.0.0'
/** Longest message in bytes, without the length in front of it; wire-protocol.md section 4. */
export const LONGEST_MESSAGE = 4096
/** Bytes of the length in front of a message. */
export const LENGTH_BYTES = 4
const HIGHEST_SLOT = 7

const milliwatt = integer(HIGHEST_FIGURE)

/** What every message begins with. Of a reply any `msg_type` is accepted, none as well; wire-protocol.md section 4. */
const replyHead = { protocol_version: version } as const satisfies Fields
const requestHead = { ...replyHead, msg_type: text } as const satisfies Fields

/** A driver asks: may the module in this slot need so much from now on? */
export const powerRequest = {
  ...requestHead,
  slot_number: integer(HIGHEST_SLOT),
  max_power_3v3: milliwatt,
  max_power_5v0: milliwatt,
  max_power_12v: milliwatt,
} as const satisfies Fields

/** The answer to that. `message` is ours: why nothing was decided. */
export const powerReply = {
  ...replyHead,
  successful: flag,
  to_much_power_3v3: milliwatt,
  to_much_power_5v0: milliwatt,
  to_much_power_12v: milliwatt,
  message: optionalText,
} as const satisfies Fields

/** A driver tells that what was granted has been applied; false: that it is given back. */
export const actionDone = { ...requestHead, action_done: flag } as const satisfies Fields

/** The answer to that. */
export const actionReply = { ...replyHead, successful: flag, message: optionalText } as const satisfies Fields

type Told<Message extends Fields> = Omit<ValueOf<Message>, keyof typeof requestHead>

/**
 * The bytes of a message, its length in front: in one piece, since known peers read a body with a single call. Throws `MessageError` for a
 * figure that does not fit.
 */
export function encodeMessage<Message extends Fields>(
  fields: Message,
  type: 'request' | 'response',
  values: Told<Message>,
): Buffer {
  const message = { protocol_version: PROTOCOL_VERSION, msg_type: type, ...values }
  assertFits(fields, message)
  const body = Buffer.from(JSON.stringify(message))
  const bytes = Buffer.alloc(LENGTH_BYTES + body.length)
  bytes.writeUInt32LE(body.length)
  body.copy(bytes, LENGTH_BYTES)
  return bytes
}

/** Reads a message's body. Throws `MessageError`. */
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
    throw new MessageError('it is no JSON', { cause: error })
  }
}

/** The request for what a slot needs. */
export function encodeRequest(slot: number, need: RailPower): Buffer {
  return encodeMessage(powerRequest, 'request', {
    slot_number: slot,
    max_power_3v3: need.power3v3,
    max_power_5v0: need.power5v0,
    max_power_12v: need.power12v,
  })
}

/** The reply with what was decided. What is missing beyond the protocol's highest figure is told as that. */
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

/** What a reply decides. */
export function decisionOf(reply: ValueOf<typeof powerReply>): PowerDecision {
  const missing = {
    power3v3: reply.to_much_power_3v3,
    power5v0: reply.to_much_power_5v0,
    power12v: reply.to_much_power_12v,
  }
  return { granted: reply.successful, missing }
}
