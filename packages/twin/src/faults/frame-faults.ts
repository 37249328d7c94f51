import { MessageType } from '@slotwire/sdbp'
import { asShare, inMs } from '../settings/quantities.ts'
import { defineFault, onWire } from './fault.ts'
import { type FaultContext, percent, responseIn, type WireFault } from './faulty-wire.ts'

/** Bytes read from an open line. */
const IDLE = 0xff
const BITS_PER_BYTE = 8
/** Bounds of a response delay, in ms: up to far more than any host waits. */
const DELAY_MS = { min: 0.001, max: 60_000 }

/** A frame gets lost in this share of the transfers: half the time the host's, half the time the module's. */
export const lostFrames = defineFault<{ readonly share: number }, 'share'>({
  kind: 'lostFrames',
  summary: 'frames get lost, in both directions',
  fields: { share: asShare('share of the transfers') },
  primary: 'share',
  lasts: true,
  description: ({ share }) => `${percent(share)} of the frames get lost`,
  begin: ({ share }) =>
    onWire(({ random }) => ({
      transfer: (hostFrame, next) => {
        if (random() >= share) return next(hostFrame)
        if (random() < 0.5) next(hostFrame)
        return new Uint8Array(hostFrame.length).fill(IDLE)
      },
    })),
})

/** One bit is flipped in this share of the transfers, in a frame of the host or of the module. The CRC detects it. */
export const crcErrors = defineFault<{ readonly share: number }, 'share'>({
  kind: 'crcErrors',
  summary: 'frames have a wrong bit, which their CRC detects',
  fields: { share: asShare('share of the transfers') },
  primary: 'share',
  lasts: true,
  description: ({ share }) => `${percent(share)} of the frames have a wrong bit`,
  begin: ({ share }) =>
    onWire(({ random }) => ({
      transfer: (hostFrame, next) => {
        if (random() >= share) return next(hostFrame)
        return random() < 0.5 ? next(withFlippedBit(hostFrame, random)) : withFlippedBit(next(hostFrame), random)
      },
    })),
})

/** Delays the ready pulse, so the response, in this share of the exchanges. */
export const lateFrames = defineFault<{ readonly share?: number; readonly delayMs: number }, 'delayMs'>({
  kind: 'lateFrames',
  summary: 'responses come late',
  fields: { delayMs: inMs('delay of a response', DELAY_MS), share: asShare('share of the responses', { default: 1 }) },
  primary: 'delayMs',
  lasts: true,
  description: ({ share, delayMs }) => `${percent(share)} of the responses come ${delayMs} ms late`,
  begin: ({ share, delayMs }) => onWire((context) => delaying(context, share, delayMs)),
})

/** Repeats the module's previous response instead of the new one, in this share of the transfers. */
export const duplicatedFrames = defineFault<{ readonly share: number }, 'share'>({
  kind: 'duplicatedFrames',
  summary: 'responses are repeated: the module sends the previous response instead of the new one',
  fields: { share: asShare('share of the responses') },
  primary: 'share',
  lasts: true,
  description: ({ share }) => `${percent(share)} of the responses come twice`,
  begin: ({ share }) => onWire((context) => duplicating(context, share)),
})

function delaying({ clock, random }: FaultContext, share: number, delayMs: number): WireFault {
  const timers = new Set<{ cancel(): void }>()
  let isResponseDue = false
  return {
    transfer: (hostFrame, next) => {
      isResponseDue = hostFrame[0] === MessageType.operation
      return next(hostFrame)
    },
    pulse: (next) => {
      if (!isResponseDue || random() >= share) {
        next()
        return
      }
      isResponseDue = false
      const timer = clock.after(delayMs, () => {
        timers.delete(timer)
        next()
      })
      timers.add(timer)
    },
    end: () => {
      for (const timer of timers) timer.cancel()
    },
  }
}

function duplicating({ random }: FaultContext, share: number): WireFault {
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
