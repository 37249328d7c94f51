import { SdbpError } from './errors.ts'

const POLYNOMIAL = 0x1021

const TABLE = Uint16Array.from({ length: 256 }, (_, byte) => {
  let remainder = byte << 8
  for (let bit = 0; bit < 8; bit++) remainder = remainder & 0x8000 ? (remainder << 1) ^ POLYNOMIAL : remainder << 1
  return remainder & 0xffff
})

/** CRC-16/XMODEM over the first `length` bytes; wire-protocol.md section 1. */
export function crc16(data: Uint8Array, length = data.length): number {
  let remainder = 0
  for (let index = 0; index < length; index++) {
    remainder = ((remainder << 8) & 0xffff) ^ (TABLE[(remainder >>> 8) ^ (data[index] as number)] as number)
  }
  return remainder
}

/** Kinds of frames; wire-protocol.md section 1. */
export const MessageType = { operation: 1, response: 2, notification: 3, acknowledgement: 4 } as const
export type MessageType = (typeof MessageType)[keyof typeof MessageType]

export const DEFAULT_FRAME_SIZE = 64
export const MIN_FRAME_SIZE = 64
export const MAX_FRAME_SIZE = 4096

const HEADER_SIZE = 4
const CRC_SIZE = 2
const FILLER = 0x7f
const NOTIFICATION_PENDING = 1

/** The content of a frame. `notificationPending` is the option byte of a response; other frames have none. */
export interface Frame {
  readonly type: MessageType
  readonly notificationPending: boolean
  readonly payload: Uint8Array
}

/** Largest payload of a frame of `frameSize` bytes, in bytes. */
export function maxPayloadSize(frameSize: number): number {
  return frameSize - HEADER_SIZE - CRC_SIZE
}

/**
 * Encodes a frame into `frameSize` (64…4096) bytes, with filler and CRC. Throws `length` if the payload does not fit or the frame size is
 * invalid, `type` for an unknown message type.
 */
export function encodeFrame(frame: Frame, frameSize: number): Uint8Array {
  if (!isFrameSize(frameSize)) throw wrongFrameSize(frameSize)
  if (!isMessageType(frame.type)) throw new SdbpError('type', `message type ${String(frame.type)}: 1…4`)
  const length = HEADER_SIZE + frame.payload.length
  if (frame.payload.length > maxPayloadSize(frameSize)) {
    throw new SdbpError(
      'length',
      `payload of ${frame.payload.length} bytes: a frame of ${frameSize} takes ${maxPayloadSize(frameSize)}`,
    )
  }
  const bytes = new Uint8Array(frameSize).fill(FILLER, length, frameSize - CRC_SIZE)
  bytes[0] = frame.type
  bytes[1] = length >>> 8
  bytes[2] = length & 0xff
  bytes[3] = frame.notificationPending && frame.type === MessageType.response ? NOTIFICATION_PENDING : 0
  bytes.set(frame.payload, HEADER_SIZE)
  const crc = crc16(bytes, frameSize - CRC_SIZE)
  bytes[frameSize - 2] = crc >>> 8
  bytes[frameSize - 1] = crc & 0xff
  return bytes
}

/** Decodes a whole transfer. Throws `length`, `crc` or `type`. */
export function decodeFrame(bytes: Uint8Array): Frame {
  if (!isFrameSize(bytes.length)) throw wrongFrameSize(bytes.length)
  const expected = crc16(bytes, bytes.length - CRC_SIZE)
  const crc = u16At(bytes, bytes.length - CRC_SIZE)
  if (crc !== expected) throw new SdbpError('crc', `frame CRC is 0x${crc.toString(16)}, computed 0x${expected.toString(16)}`)
  const type = bytes[0] as number
  if (!isMessageType(type)) throw new SdbpError('type', `message type ${type}: 1…4`)
  const length = u16At(bytes, 1)
  if (length < HEADER_SIZE || length > bytes.length - CRC_SIZE) {
    throw new SdbpError('length', `frame length field ${length}: ${HEADER_SIZE}…${bytes.length - CRC_SIZE}`)
  }
  return {
    type,
    notificationPending: type === MessageType.response && bytes[3] === NOTIFICATION_PENDING,
    payload: bytes.slice(HEADER_SIZE, length),
  }
}

function isMessageType(type: number): type is MessageType {
  return Number.isInteger(type) && type >= MessageType.operation && type <= MessageType.acknowledgement
}

function isFrameSize(size: number): boolean {
  return Number.isInteger(size) && size >= MIN_FRAME_SIZE && size <= MAX_FRAME_SIZE
}

function wrongFrameSize(size: number): SdbpError {
  return new SdbpError('length', `transfer of ${size} bytes: ${MIN_FRAME_SIZE}…${MAX_FRAME_SIZE}`)
}

function u16At(bytes: Uint8Array, offset: number): number {
  return ((bytes[offset] as number) << 8) | (bytes[offset + 1] as number)
}
