import type { Clock, Random, Timer } from '@slotwire/core'
import { decodeFrame, type Frame, MessageType, SdbpError } from '@slotwire/sdbp'
import type { ModuleEnd } from '../bus/module-end.ts'

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

/** Timers of a fault, which end with it. */
export function timersOf(clock: Clock) {
  const timers = new Set<Timer>()
  const after = (delayMs: number, callback: () => void): void => {
    const timer = clock.after(delayMs, () => {
      timers.delete(timer)
      callback()
    })
    timers.add(timer)
  }
  const end = (): void => timers.forEach((timer) => timer.cancel())
  return { after, end }
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

/** The faults on the wires of one slot, in the order of injection. They stay when the module leaves. */
export class WireFaults {
  readonly #faults = new Set<WireFault>()
  /** The module's pulse as the host sees it; set while a module is connected. */
  #pulse: () => void = () => undefined

  /** Adds a fault; returns a function that removes it. */
  add(fault: WireFault): () => void {
    this.#faults.add(fault)
    fault.attach?.(() => this.#pulse())
    return () => {
      if (this.#faults.delete(fault)) fault.end?.()
    }
  }

  /** The module's end as the host sees it, through the faults. */
  connect(module: ModuleEnd): ModuleEnd {
    const host: ModuleEnd = { onPulse: () => undefined, transfer: (hostFrame) => this.#transfer(hostFrame, module) }
    module.onPulse = () => this.#passPulse(host)
    this.#pulse = () => host.onPulse()
    return host
  }

  #transfer(hostFrame: Uint8Array, module: Pick<ModuleEnd, 'transfer'>): Uint8Array {
    let way = module
    for (const { transfer } of this.#faults) {
      if (transfer === undefined) continue
      const next = way
      way = { transfer: (frame) => transfer(frame, (passed) => next.transfer(passed)) }
    }
    return way.transfer(hostFrame)
  }

  #passPulse(host: Pick<ModuleEnd, 'onPulse'>): void {
    let way = host
    for (const { pulse } of this.#faults) {
      if (pulse === undefined) continue
      const next = way
      way = { onPulse: () => pulse(() => next.onPulse()) }
    }
    way.onPulse()
  }
}
