import { dummyFrame, encodeFrame, encodeResponse, MessageType, waitForResponse } from '@slotwire/sdbp'
import { asShare, inMs } from '../settings/quantities.ts'
import { defineFault, onWire } from './fault.ts'
import { type FaultContext, percent, responseIn, type WireFault } from './faulty-wire.ts'

/** Wait times that the protocol allows, in ms; wire-protocol.md section 1. */
const WAIT_MS = { min: 1, max: 65_535 }
const MICROSECONDS_PER_MS = 1000
/** Byte of a payload that holds the class. */
const CLASS_AT = 1
const BYTE_VALUES = 256

/** The module hangs: its hardware acknowledges frames, but it does not process them. */
export const hang = defineFault<object>({
  kind: 'hang',
  summary: 'the module acknowledges frames and does nothing with them',
  lasts: true,
  description: () => 'the module hangs',
  begin: () => onWire(() => ({ transfer: (hostFrame) => encodeFrame(dummyFrame, hostFrame.length), pulse: () => undefined })),
})

/** The module answers every operation with a request for more time. */
export const endlessWait = defineFault<{ readonly waitMs: number }, 'waitMs'>({
  kind: 'endlessWait',
  summary: 'the module answers every operation with a request for more time',
  fields: { waitMs: inMs('requested time', WAIT_MS) },
  primary: 'waitMs',
  lasts: true,
  description: ({ waitMs }) => `the module asks for ${waitMs} ms more, again and again`,
  begin: ({ waitMs }) => onWire((context) => askingForMore(context, waitMs)),
})

/** This share of the responses names a wrong class. */
export const wrongClass = defineFault<{ readonly share?: number }, 'share'>({
  kind: 'wrongClass',
  summary: 'responses name a wrong class',
  fields: { share: asShare('share of the responses', { default: 1 }) },
  primary: 'share',
  lasts: true,
  description: ({ share }) => `${percent(share)} of the responses name a wrong class`,
  begin: ({ share }) =>
    onWire(({ random }) => ({
      transfer: (hostFrame, next) =>
        changed(next(hostFrame), (payload) => {
          if (random() >= share) return payload
          const copy = Uint8Array.from(payload)
          copy[CLASS_AT] = ((copy[CLASS_AT] ?? 0) + 1) % BYTE_VALUES
          return copy
        }),
    })),
})

/** This share of the responses has random bytes in a valid frame. */
export const garbage = defineFault<{ readonly share?: number }, 'share'>({
  kind: 'garbage',
  summary: 'responses have random bytes in valid frames',
  fields: { share: asShare('share of the responses', { default: 1 }) },
  primary: 'share',
  lasts: true,
  description: ({ share }) => `${percent(share)} of the responses are garbage`,
  begin: ({ share }) =>
    onWire(({ random }) => ({
      transfer: (hostFrame, next) =>
        changed(next(hostFrame), (payload) =>
          random() >= share ? payload : Uint8Array.from(payload, () => Math.floor(random() * BYTE_VALUES)),
        ),
    })),
})

function askingForMore({ clock }: FaultContext, waitMs: number): WireFault {
  const payload = encodeResponse(waitForResponse, { microseconds: Math.round(waitMs * MICROSECONDS_PER_MS) })
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
        return encodeFrame(dummyFrame, hostFrame.length)
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
}

/** Replaces the payload of a response; returns other frames unchanged. */
function changed(bytes: Uint8Array, change: (payload: Uint8Array) => Uint8Array): Uint8Array {
  const frame = responseIn(bytes)
  return frame === undefined ? bytes : encodeFrame({ ...frame, payload: change(frame.payload) }, bytes.length)
}
