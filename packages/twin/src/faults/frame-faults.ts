import { MessageType } from '@slotwire/sdbp'
import { asShare, inMs } from '../settings/quantities.ts'
import { defineFault } from './fault.ts'
import { type FaultContext, percent, responseIn, timersOf, type WireFault } from './faulty-wire.ts'

/** Bytes read from an open line. */
const IDLE = 0xff
const BITS_PER_BYTE = 8
/** Bounds of a response delay, in ms: up to far more than any host waits. */
const DELAY_MS = { min: 0.001, max: 60_000 }

/** A frame gets lost in this share of the transfers: half the time the host's, half the time the module's. */
export const lostFrames = defineFault({
  kind: 'lostFrames',
  summary: 'frames get lost, in both directions',
  fields: { share: asShare('share of the transfers') },
  primary: 'share',
  description: ({ share }) => `${percent(share)} of the frames get lost`,
  wire: ({ share }, { random }) => ({
    transfer: (hostFrame, next) => {
      if (random() >= share) return next(hostFrame)
      if (random() < 0.5) next(hostFrame)
      return new Uint8Array(hostFrame.length).fill(IDLE)
    },
  }),
})

/** One bit is flipped in this share of the transfers, in a frame of the host or of the module. The CRC detects it. */
export const crcErrors = defineFault({
  kind: 'crcErrors',
  summary: 'frames have a wrong bit, which their CRC detects',
  fields: { share: asShare('share of the transfers') },
  primary: 'share',
  description: ({ share }) => `${percent(share)} of the frames have a wrong bit`,
  wire: ({ share }, { random }) => ({
    transfer: (hostFrame, next) => {
      if (random() >= share) return next(hostFrame)
      return random() < 0.5 ? next(withFlippedBit(hostFrame, random)) : withFlippedBit(next(hostFrame), random)
    },
  }),
})

/** Delays the ready pulse, so the response, in this share of the exchanges. */
export const lateFrames = defineFault({
  kind: 'lateFrames',
  summary: 'responses come late',
  fields: { delayMs: inMs('delay of a response', DELAY_MS), share: asShare('share of the responses') },
  defaults: { share: 1 },
  primary: 'delayMs',
  description: ({ share, delayMs }) => `${percent(share)} of the responses come ${delayMs} ms late`,
  wire: delaying,
})

/** Repeats the module's previous response instead of the new one, in this share of the transfers. */
export const duplicatedFrames = defineFault({
  kind: 'duplicatedFrames',
  summary: 'responses are repeated: the module sends the previous response instead of the new one',
  fields: { share: asShare('share of the responses') },
  primary: 'share',
  description: ({ share }) => `${percent(share)} of the responses come twice`,
  wire: duplicating,
})

function delaying({ share, delayMs }: { share: number; delayMs: number }, { clock, random }: FaultContext): WireFault {
  const { after, end } = timersOf(clock)
  let isResponseDue = false
  return {
    transfer: (hostFrame, next) => {
      isResponseDue = hostFrame[0] === MessageType.operation
      return next(hostFrame)
    },
    pulse: (next) => {
      if (!isResponseDue || random() >= share) return next()
      isResponseDue = false
      after(delayMs, next)
    },
    end,
  }
}

function duplicating({ share }: { share: number }, { random }: FaultContext): WireFault {
  let previous: Uint8Array | undefined
  return {
    transfer: (hostFrame, next) => {
      const frame = next(hostFrame)
      if (responseIn(frame) === undefined) return frame
      const again = previous !== undefined && previous.length === frame.length && random() < share ? previous : frame
      previous = frame
      return again
    },
  }
}

function withFlippedBit(frame: Uint8Array, random: FaultContext['random']): Uint8Array {
  const copy = Uint8Array.from(frame)
  const bit = Math.floor(random() * copy.length * BITS_PER_BYTE)
  const byte = Math.floor(bit / BITS_PER_BYTE)
  copy[byte] = (copy[byte] ?? 0) ^ (1 << (bit % BITS_PER_BYTE))
  return copy
}
