import { crc16 } from './crc.ts'
import { SdbpError } from './errors.ts'

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

/** What a frame carries. `notificationPending` is the option byte; only a response may set it. */
export interface Frame {
  readonly type: MessageType
  readonly notificationPending: boolean
  readonly payload: Uint8Array
}

/** Largest payload in bytes that a frame of `frameSize` bytes takes. */
export function maxPayloadSize(frameSize: number): number {
  return frameSize - HEADER_SIZE - CRC_SIZE
}

/** The `frameSize` bytes that go over the wire, filler and CRC included. Throws `length` when the payload does not fit. */
export function encodeFrame(frame: Frame, frameSize: number): Uint8Array {
  const length = HEADER_SIZE + frame.payload.length
  if (frame.payload.length > maxPayloadSize(frameSize)) {
    throw new SdbpError('length', `payload of ${frame.payload.length} bytes: a frame of ${frameSize} takes ${maxPayloadSize(frameSize)}`)
  }
  const bytes = new Uint8Array(frameSize).fill(FILLER, length, frameSize - CRC_SIZE)
  bytes[0] = frame.type
  bytes[1] = length >>> 8
  bytes[2] = length & 0xff
  bytes[3] = frame.notificationPending ? NOTIFICATION_PENDING : 0
  bytes.set(frame.payload, HEADER_SIZE)
  const crc = crc16(bytes, frameSize - CRC_SIZE)
  bytes[frameSize - 2] = crc >>> 8
  bytes[frameSize - 1] = crc & 0xff
  return bytes
}

/** Reads a whole transfer. Throws `length`, `crc` or `type`. */
export function decodeFrame(bytes: Uint8Array): Frame {
  if (bytes.length < MIN_FRAME_SIZE || bytes.length > MAX_FRAME_SIZE) {
    throw new SdbpError('length', `transfer of ${bytes.length} bytes: ${MIN_FRAME_SIZE}…${MAX_FRAME_SIZE}`)
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  const expected = crc16(bytes, bytes.length - CRC_SIZE)
  const found = view.getUint16(bytes.length - CRC_SIZE)
  if (found !== expected) throw new SdbpError('crc', `frame CRC is 0x${found.toString(16)}, computed 0x${expected.toString(16)}`)
  const type = view.getUint8(0)
  if (!isMessageType(type)) throw new SdbpError('type', `message type ${type}: 1…4`)
  const length = view.getUint16(1)
  if (length < HEADER_SIZE || length > bytes.length - CRC_SIZE) {
    throw new SdbpError('length', `frame length field ${length}: ${HEADER_SIZE}…${bytes.length - CRC_SIZE}`)
  }
  return {
    type,
    notificationPending: view.getUint8(3) === NOTIFICATION_PENDING,
    payload: bytes.slice(HEADER_SIZE, length),
  }
}

function isMessageType(type: number): type is MessageType {
  return type >= MessageType.operation && type <= MessageType.acknowledgement
}
