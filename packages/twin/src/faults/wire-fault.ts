import type { Clock, Random } from '@slotwire/core'
import { decodeFrame, type Frame, MessageType, SdbpError } from '@slotwire/sdbp'

/** What a fault may use: the twin's clock, and its seeded randomness. */
export interface FaultContext {
  readonly clock: Clock
  readonly random: Random
}

/**
 * Something wrong between host and module. It stands in the way of every transfer and pulse: `next` is the way as it would be without
 * it. What it leaves out passes unharmed.
 */
export interface WireFault {
  readonly transfer?: (hostFrame: Uint8Array, next: (hostFrame: Uint8Array) => Uint8Array) => Uint8Array
  readonly pulse?: (next: () => void) => void
  /** Gets, once, the way to pulse by itself. */
  readonly attach?: (pulse: () => void) => void
  /** Ends what it has begun: called once, when the fault is taken away. */
  readonly end?: () => void
}

/** A share for people: `30 %`. */
export function percent(share: number): string {
  return `${Math.round(share * 1000) / 10} %`
}

/** The response in these bytes; undefined where there is none, or another fault has spoilt it. */
export function responseIn(bytes: Uint8Array): Frame | undefined {
  if (bytes[0] !== MessageType.response) return undefined
  try {
    return decodeFrame(bytes)
  } catch (error) {
    if (error instanceof SdbpError) return undefined
    throw error
  }
}
