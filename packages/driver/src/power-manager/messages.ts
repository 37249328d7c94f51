import { boolean, compile, formed, integer, type ObjectSchema, objectOf, text, type ValueOf } from '@slotwire/contract'
import { perRail, SLOT_COUNT } from '@slotwire/core'
import type { PowerDecision, RailPower } from '../power/power-budget.ts'

/** Highest figure in a message: known peers store figures in 16 bits; wire-protocol.md section 4. */
const MAX_FIGURE = 65_535
/** Longest text in a message, in characters: any text of this length keeps the message below its limit. */
const MAX_TEXT_CHARACTERS = 500
/** The protocol version that this program sends. */
const PROTOCOL_VERSION = '1.0.0'
/** Longest message in bytes, without its length field; wire-protocol.md section 4. */
export const MAX_MESSAGE_BYTES = 4096
/** Size of the length field in front of a message, in bytes. */
export const LENGTH_BYTES = 4

/** Not a valid message: too long, not JSON, or with a wrong field. */
export class MessageError extends Error {
  override readonly name = 'MessageError'
}

const milliwatt = integer({ min: 0, max: MAX_FIGURE, unit: 'mW' })
/** The head of every message. A reply may have any `msg_type`, or none; wire-protocol.md section 4. */
const replyHead = { protocol_version: formed('^1\\.\\d+\\.\\d+$', 'a version 1.x.x') }
const requestHead = { ...replyHead, msg_type: text() }
const UNKNOWN_FIELDS_IGNORED = { additionalProperties: true }

/** From the driver: may the module in this slot use this much from now on? */
export const powerRequest = {
  ...objectOf({
    ...requestHead,
    slot_number: integer({ min: 0, max: SLOT_COUNT - 1 }),
    ...perRail('max_power_', () => milliwatt),
  }),
  ...UNKNOWN_FIELDS_IGNORED,
}

/** The answer to `powerRequest`. `message` is our extension: why no decision was made. */
export const powerReply = {
  ...objectOf(
    {
      ...replyHead,
      successful: boolean(),
      ...perRail('to_much_power_', () => milliwatt),
      message: text(),
    },
    { optional: ['message'] },
  ),
  ...UNKNOWN_FIELDS_IGNORED,
}

/** From the driver: the grant has been applied, or, if false, given back. */
export const actionDone = { ...objectOf({ ...requestHead, action_done: boolean() }), ...UNKNOWN_FIELDS_IGNORED }

/** The answer to `actionDone`. */
export const actionReply = {
  ...objectOf({ ...replyHead, successful: boolean(), message: text() }, { optional: ['message'] }),
  ...UNKNOWN_FIELDS_IGNORED,
}

/** Throws `MessageError` for the first wrong field. */
function checkedMessage<Message extends ObjectSchema>(schema: Message, value: unknown): ValueOf<Message> {
  const problem = compile(schema, 'the message')(value)
  if (problem !== undefined) throw new MessageError(problem)
  return value as ValueOf<Message>
}

/**
 * The bytes of a message with its length in front, in one piece: known peers read a body with a single call. Throws `MessageError` for a
 * figure that does not fit.
 */
export function encodeMessage<Message extends ObjectSchema>(
  schema: Message,
  type: 'request' | 'response',
  values: Omit<ValueOf<Message>, keyof typeof requestHead>,
): Buffer {
  const message = checkedMessage(schema, { protocol_version: PROTOCOL_VERSION, msg_type: type, ...values })
  const body = Buffer.from(JSON.stringify(message))
  const length = Buffer.alloc(LENGTH_BYTES)
  length.writeUInt32LE(body.length)
  return Buffer.concat([length, body])
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Parses the body of a message. Throws `MessageError`. */
export function decodeMessage<Message extends ObjectSchema>(schema: Message, body: Uint8Array): ValueOf<Message> {
  let message: unknown
  try {
    message = JSON.parse(utf8.decode(body))
  } catch (error) {
    throw new MessageError('it is not JSON', { cause: error })
  }
  return checkedMessage(schema, message)
}

/** The request for the power of a slot. */
export function encodeRequest(slot: number, need: RailPower): Buffer {
  return encodeMessage(powerRequest, 'request', {
    slot_number: slot,
    ...perRail('max_power_', (rail) => need[`power${rail}`]),
  })
}

/** The reply with a decision. A shortage above the protocol's highest figure is sent as that figure. */
export function encodeDecision({ granted, missing }: PowerDecision, message?: string): Buffer {
  return encodeMessage(powerReply, 'response', {
    successful: granted,
    ...perRail('to_much_power_', (rail) => Math.min(missing[`power${rail}`], MAX_FIGURE)),
    ...(message !== undefined && { message: message.slice(0, MAX_TEXT_CHARACTERS) }),
  })
}

/** The milliwatt that a request asks for. */
export function needOf(request: ValueOf<typeof powerRequest>): RailPower {
  return perRail('power', (rail) => request[`max_power_${rail}`])
}

/** The decision in a reply. */
export function decisionOf(reply: ValueOf<typeof powerReply>): PowerDecision {
  return { granted: reply.successful, missing: perRail('power', (rail) => reply[`to_much_power_${rail}`]) }
}
