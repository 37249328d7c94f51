import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cases } from '../../../tools/tests/generated-cases.mjs'
import { commandCodeOf } from './command.ts'
import { throwIfTransactionError } from './core-commands.ts'
import {
  crc16,
  decodeFrame,
  encodeFrame,
  type Frame,
  MAX_FRAME_SIZE,
  MessageType,
  MIN_FRAME_SIZE,
  maxPayloadSize,
} from './frame.ts'
import { faultOf } from './hex.testkit.ts'
import { decodeNotification } from './notification.ts'

const type = fc.constantFrom(...Object.values(MessageType))
const frameSize = fc.oneof(
  fc.integer({ min: MIN_FRAME_SIZE, max: 256 }),
  fc.integer({ min: MIN_FRAME_SIZE, max: MAX_FRAME_SIZE }),
)

/** Any frame, with a frame size that its payload fits. */
const framed = frameSize.chain((size) =>
  fc.record({
    size: fc.constant(size),
    frame: fc
      .record({ type, notificationPending: fc.boolean(), payload: fc.uint8Array({ maxLength: maxPayloadSize(size) }) })
      .map(
        (frame): Frame => ({ ...frame, notificationPending: frame.notificationPending && frame.type === MessageType.response }),
      ),
  }),
)

/** Transfers with a valid CRC and any content: from a broken module, not from a broken line. */
const sealed = fc.uint8Array({ minLength: MIN_FRAME_SIZE - 2, maxLength: 200 }).map((bytes) => {
  const crc = crc16(bytes)
  return Uint8Array.of(...bytes, crc >>> 8, crc & 0xff)
})

describe('frames', () => {
  it('decode to what was encoded, for any size and payload', () =>
    fc.assert(
      fc.property(framed, ({ size, frame }) => {
        const bytes = encodeFrame(frame, size)
        expect(bytes).toHaveLength(size)
        expect(decodeFrame(bytes)).toEqual(frame)
      }),
    ))

  it('are refused after the flip of any single bit', () =>
    fc.assert(
      fc.property(framed, fc.nat(), ({ size, frame }, at) => {
        const bytes = encodeFrame(frame, size)
        const bit = at % (size * 8)
        bytes[bit >>> 3] = (bytes[bit >>> 3] ?? 0) ^ (1 << (bit & 7))
        return faultOf(() => decodeFrame(bytes)) === 'crc'
      }),
      { numRuns: cases(300) },
    ))

  it('are refused after the flip of any bit of one 64-byte frame, tried one by one', () => {
    const good = encodeFrame({ type: MessageType.response, notificationPending: true, payload: Uint8Array.of(1, 3, 3, 0) }, 64)
    for (let bit = 0; bit < 64 * 8; bit++) {
      const bytes = good.slice()
      bytes[bit >>> 3] = (bytes[bit >>> 3] ?? 0) ^ (1 << (bit & 7))
      expect(faultOf(() => decodeFrame(bytes))).toBe('crc')
    }
  })
})

describe('any bytes at all', () => {
  const anyBytes = fc.oneof(fc.uint8Array({ maxLength: 80 }), sealed, fc.uint8Array({ maxLength: 5000 }))

  it('decode to a frame or a typed fault', () =>
    fc.assert(
      fc.property(anyBytes, (bytes) => {
        expect(['none', 'length', 'crc', 'type']).toContain(faultOf(() => decodeFrame(bytes)))
      }),
      { numRuns: cases(300) },
    ))

  it('decode to a notification, nothing pending or a typed fault', () => {
    const answers = fc.uint8Array({ maxLength: 12 }).map((bytes) => Uint8Array.of(1, 6, ...bytes))
    fc.assert(
      fc.property(fc.oneof(anyBytes, answers), (bytes) => {
        expect(['none', 'truncated', 'class', 'rejected']).toContain(faultOf(() => decodeNotification(bytes)))
      }),
      { numRuns: cases(300) },
    )
  })

  it('are a transaction error or not, without another exception', () => {
    const rejections = fc.uint8Array({ maxLength: 4 }).map((bytes) => Uint8Array.of(1, 1, ...bytes))
    fc.assert(
      fc.property(fc.oneof(anyBytes, rejections), (bytes) => {
        expect(['none', 'transaction']).toContain(faultOf(() => throwIfTransactionError(bytes)))
        expect(['none', 'truncated']).toContain(faultOf(() => commandCodeOf(bytes)))
      }),
      { numRuns: cases(300) },
    )
  })
})
