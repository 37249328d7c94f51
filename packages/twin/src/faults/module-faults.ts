import { dummyOperation, encodeFrame, encodeRequest, encodeResponse, MessageType, waitForResponse } from '@slotwire/sdbp'
import type { Fault } from './fault.ts'
import { onWire } from './fault.ts'
import { checkedShare, percent, responseIn } from './wire-fault.ts'

/** Longest that the protocol lets a module ask for, in ms; wire-protocol.md section 1. */
const LONGEST_WAIT_MS = 65_535
const MICROSECONDS_PER_MS = 1000
/** Byte of a payload that holds the class. */
const CLASS_AT = 1
const BYTE_VALUES = 256

/** The module hangs: it takes frames, which its hardware acknowledges, and does nothing with them. */
export function hang(): Fault {
  return onWire('the module hangs', () => ({
    transfer: (hostFrame) => acknowledge(hostFrame.length),
    pulse: () => undefined,
  }))
}

/** The module answers every operation by asking for more time, again and again. */
export function endlessWait(of: { waitMs: number }): Fault {
  const { waitMs } = of
  if (!(waitMs >= 1 && waitMs <= LONGEST_WAIT_MS)) throw new RangeError(`waitMs is ${waitMs}: 1…${LONGEST_WAIT_MS}`)
  const payload = encodeResponse(waitForResponse, { microseconds: Math.round(waitMs * MICROSECONDS_PER_MS) })
  return onWire(`the module asks for ${waitMs} ms more, again and again`, ({ clock }) => {
    let pulse: (() => void) | undefined
    const timers = new Set<{ cancel(): void }>()
    const later = (delayMs: number): void => {
      const timer = clock.after(delayMs, () => {
        timers.delete(timer)
        pulse?.()
      })
      timers.add(timer)
    }
    return {
      transfer: (hostFrame) => {
        if (hostFrame[0] === MessageType.operation) {
          later(0)
          return acknowledge(hostFrame.length)
        }
        later(waitMs)
        return encodeFrame({ type: MessageType.response, notificationPending: false, payload }, hostFrame.length)
      },
      attach: (next) => {
        pulse = next
      },
      pulse: () => undefined,
      end: () => {
        for (const timer of timers) timer.cancel()
      },
    }
  })
}

/** These responses name another class than was asked for. */
export function wrongClass(of: { share: number }): Fault {
  const share = checkedShare(of.share)
  return onWire(`${percent(share)} of the responses name a wrong class`, ({ random }) => ({
    transfer: (hostFrame, next) =>
      changed(next(hostFrame), (payload) => {
        if (random() >= share) return payload
        const copy = Uint8Array.from(payload)
        copy[CLASS_AT] = ((copy[CLASS_AT] ?? 0) + 1) % BYTE_VALUES
        return copy
      }),
  }))
}

/** These responses hold bytes that mean nothing, in sound frames. */
export function garbage(of: { share: number }): Fault {
  const share = checkedShare(of.share)
  return onWire(`${percent(share)} of the responses are garbage`, ({ random }) => ({
    transfer: (hostFrame, next) =>
      changed(next(hostFrame), (payload) =>
        random() >= share ? payload : Uint8Array.from(payload, () => Math.floor(random() * BYTE_VALUES)),
      ),
  }))
}

function acknowledge(frameSize: number): Uint8Array {
  const payload = encodeRequest(dummyOperation, {})
  return encodeFrame({ type: MessageType.acknowledgement, notificationPending: false, payload }, frameSize)
}

/** The frame with another payload, if it is a response. */
function changed(bytes: Uint8Array, change: (payload: Uint8Array) => Uint8Array): Uint8Array {
  const frame = responseIn(bytes)
  return frame === undefined ? bytes : encodeFrame({ ...frame, payload: change(frame.payload) }, bytes.length)
}
