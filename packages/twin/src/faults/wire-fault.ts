import type { Clock, Random } from '@slotwire/core'
import { decodeFrame, type Frame, MessageType, SdbpError } from '@slotwire/sdbp'

/** Resources of a fault: the twin's clock, and a seeded random sequence. */
export interface FaultContext {
  readonly clock: Clock
  readonly random: Random
}

/**
 * A fault between host and module. Every transfer and pulse passes through it; `next` is the way without it. Omitted methods change
 * nothing.
 */
export interface WireFault {
  readonly transfer?: (hostFrame: Uint8Array, next: (hostFrame: Uint8Array) => Uint8Array) => Uint8Array
  readonly pulse?: (next: () => void) => void
  /** Called once with a function that pulses the interrupt line. */
  readonly attach?: (pulse: () => void) => void
  /** Called once when the fault is removed. */
  readonly end?: () => void
}

/** A share for people: `30 %`. */
export function percent(share: number): string {
  return `${Math.round(share * 1000) / 10} %`
}

/** Decodes a response; undefined for another frame, or one that another fault has garbled. */
export function responseIn(bytes: Uint8Array): Frame | undefined {
  if (bytes[0] !== MessageType.response) return undefined
  try {
    return decodeFrame(bytes)
  } catch (error) {
    if (error instanceof SdbpError) return undefined
    throw error
  }
}
