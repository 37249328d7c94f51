import { dummyFrame, encodeFrame, encodeResponse, MessageType, waitForResponse } from '@slotwire/sdbp'
import { asShare, inMs } from '../settings/quantities.ts'
import { defineFault } from './fault.ts'
import { type FaultContext, percent, responseIn, timersOf, type WireFault } from './faulty-wire.ts'

/** Wait times that the protocol allows, in ms; wire-protocol.md section 1. */
const WAIT_MS = { min: 1, max: 65_535 }
const MICROSECONDS_PER_MS = 1000
/** Bounds of the time for which the interrupt line of a restarting module is low, in ms. */
const LOW_MS = { min: 0, max: 10_000 }
/** Byte of a payload that holds the class. */
const CLASS_AT = 1
const BYTE_VALUES = 256

/** The module hangs: its hardware acknowledges frames, but it does not process them. */
export const hang = defineFault({
  kind: 'hang',
  summary: 'the module acknowledges frames and does nothing with them',
  description: () => 'the module hangs',
  wire: () => ({ transfer: (hostFrame) => encodeFrame(dummyFrame, hostFrame.length), pulse: () => undefined }),
})

/** The module answers every operation with a request for more time. */
export const endlessWait = defineFault({
  kind: 'endlessWait',
  summary: 'the module answers every operation with a request for more time',
  fields: { waitMs: inMs('requested time', WAIT_MS) },
  primary: 'waitMs',
  description: ({ waitMs }) => `the module asks for ${waitMs} ms more, again and again`,
  wire: askingForMore,
})

/** This share of the responses names a wrong class. */
export const wrongClass = defineFault({
  kind: 'wrongClass',
  summary: 'responses name a wrong class',
  fields: { share: asShare('share of the responses') },
  defaults: { share: 1 },
  primary: 'share',
  description: ({ share }) => `${percent(share)} of the responses name a wrong class`,
  wire: ({ share }, { random }) => ({
    transfer: (hostFrame, next) =>
      changed(next(hostFrame), (payload) => {
        if (random() >= share) return payload
        const copy = Uint8Array.from(payload)
        copy[CLASS_AT] = ((copy[CLASS_AT] ?? 0) + 1) % BYTE_VALUES
        return copy
      }),
  }),
})

/** This share of the responses has random bytes in a valid frame. */
export const garbage = defineFault({
  kind: 'garbage',
  summary: 'responses have random bytes in valid frames',
  fields: { share: asShare('share of the responses') },
  defaults: { share: 1 },
  primary: 'share',
  description: ({ share }) => `${percent(share)} of the responses are garbage`,
  wire: ({ share }, { random }) => ({
    transfer: (hostFrame, next) =>
      changed(next(hostFrame), (payload) =>
        random() >= share ? payload : Uint8Array.from(payload, () => Math.floor(random() * BYTE_VALUES)),
      ),
  }),
})

/** The module's storage is full: saving fails while it lasts. */
export const fullStorage = defineFault({
  kind: 'fullStorage',
  summary: 'the storage of the module is full: saving fails',
  description: () => 'the storage is full',
  begin: (_, { memory }) => memory.fill(),
})

/** The saved data becomes unreadable until a factory reset or the next save. */
export const corruptStorage = defineFault({
  kind: 'corruptStorage',
  summary:
    'the saved data cannot be read: the mainboard enters emergency mode at its next start or save, and leaves it after a factory reset; other modules start without their saved data',
  lasts: false,
  description: () => 'the storage is corrupt',
  begin: (_, { memory }) => void memory.corrupt('made unreadable by the bench'),
})

/** The saved data is lost. The module detects this at its next start. */
export const memoryLoss = defineFault({
  kind: 'memoryLoss',
  summary: 'the saved data is lost; the module detects this at its next start',
  lasts: false,
  description: () => 'the memory is lost',
  begin: (_, { memory }) => void memory.clear(),
})

/** The module waits in its bootloader, as after an update that failed. */
export const bootloader = defineFault({
  kind: 'bootloader',
  summary: 'the module is in bootloader mode',
  description: () => 'the module is in bootloader mode',
  begin: (_, target) => {
    target.reboot(0, 'bootloader')
    return () => target.reboot(0)
  },
})

/** The module restarts by itself. */
export const reboot = defineFault({
  kind: 'reboot',
  summary: 'the module restarts by itself',
  fields: {
    lowMs: inMs(
      'how long its interrupt line is low: the host may miss up to 300 ms; 0: the host sees it leave and return',
      LOW_MS,
    ),
  },
  defaults: { lowMs: 0 },
  primary: 'lowMs',
  lasts: false,
  description: () => 'the module reboots',
  begin: ({ lowMs }, target) => void target.reboot(lowMs),
})

function askingForMore({ waitMs }: { waitMs: number }, { clock }: FaultContext): WireFault {
  const payload = encodeResponse(waitForResponse, { microseconds: Math.round(waitMs * MICROSECONDS_PER_MS) })
  let pulse: (() => void) | undefined
  const { after, end } = timersOf(clock)
  const later = (delayMs: number): void => after(delayMs, () => pulse?.())
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
    end,
  }
}

/** Replaces the payload of a response; returns other frames unchanged. */
function changed(bytes: Uint8Array, change: (payload: Uint8Array) => Uint8Array): Uint8Array {
  const frame = responseIn(bytes)
  return frame === undefined ? bytes : encodeFrame({ ...frame, payload: change(frame.payload) }, bytes.length)
}
