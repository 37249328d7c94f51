import type { Fault } from './fault.ts'
import { onWire } from './fault.ts'
import type { FaultContext, WireFault } from './wire-fault.ts'
import { checkedShare, percent, responseIn } from './wire-fault.ts'

/** What an open line reads. */
const IDLE = 0xff
const BITS_PER_BYTE = 8
/** Longest that a response can be held back, in ms: far beyond what any host waits for. */
const LONGEST_DELAY_MS = 60_000

/** Of these transfers a frame gets lost: half the time the host's, half the time the module's. */
export function lostFrames(of: { share: number }): Fault {
  const share = checkedShare(of.share)
  return onWire(`${percent(share)} of the frames get lost`, ({ random }) => ({
    transfer: (hostFrame, next) => {
      if (random() >= share) return next(hostFrame)
      if (random() < 0.5) next(hostFrame)
      return new Uint8Array(hostFrame.length).fill(IDLE)
    },
  }))
}

/** In these transfers one bit is turned: half the time in the host's frame, half the time in the module's. Its CRC finds it. */
export function crcErrors(of: { share: number }): Fault {
  const share = checkedShare(of.share)
  return onWire(`${percent(share)} of the frames have a wrong bit`, ({ random }) => ({
    transfer: (hostFrame, next) => {
      if (random() >= share) return next(hostFrame)
      return random() < 0.5 ? next(turned(hostFrame, random)) : turned(next(hostFrame), random)
    },
  }))
}

/** In these exchanges the response comes so much later: the ready pulse is held back. */
export function lateFrames(of: { share: number; delayMs: number }): Fault {
  const share = checkedShare(of.share)
  const { delayMs } = of
  if (!(delayMs > 0 && delayMs <= LONGEST_DELAY_MS))
    throw new RangeError(`delayMs is ${delayMs}: more than 0, at most ${LONGEST_DELAY_MS}`)
  return onWire(`${percent(share)} of the responses come ${delayMs} ms late`, ({ clock, random }) => {
    const held = new Set<{ cancel(): void }>()
    return {
      pulse: (next) => {
        if (random() >= share) {
          next()
          return
        }
        const timer = clock.after(delayMs, () => {
          held.delete(timer)
          next()
        })
        held.add(timer)
      },
      end: () => {
        for (const timer of held) timer.cancel()
      },
    }
  })
}

/** In these transfers the host gets the module's previous response once more, instead of the new one. */
export function duplicatedFrames(of: { share: number }): Fault {
  const share = checkedShare(of.share)
  return onWire(`${percent(share)} of the responses come twice`, (context) => duplicating(context, share))
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

function turned(frame: Uint8Array, random: FaultContext['random']): Uint8Array {
  const copy = Uint8Array.from(frame)
  const bit = Math.floor(random() * copy.length * BITS_PER_BYTE)
  const byte = Math.floor(bit / BITS_PER_BYTE)
  copy[byte] = (copy[byte] ?? 0) ^ (1 << (bit % BITS_PER_BYTE))
  return copy
}
