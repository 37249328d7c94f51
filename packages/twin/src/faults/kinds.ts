// Every kind of fault: all that this file exports, by name.
import { dummyFrame, encodeFrame, encodeResponse, MessageType, waitForResponse } from '@slotwire/sdbp'
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
  begin: (_, { memory }) => {
    memory.corrupt('made unreadable by the bench')
    return undefined
  },
})

/** The saved data is lost. The module detects this at its next start. */
export const memoryLoss = defineFault({
  kind: 'memoryLoss',
  summary: 'the saved data is lost; the module detects this at its next start',
  lasts: false,
  description: () => 'the memory is lost',
  begin: (_, { memory }) => {
    memory.clear()
    return undefined
  },
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
  begin: ({ lowMs }, target) => {
    target.reboot(lowMs)
    return undefined
  },
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
