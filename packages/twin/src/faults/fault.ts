import type { FaultyMemory } from './faulty-memory.ts'
import type { WireFaults } from './faulty-wire.ts'
import type { FaultContext, WireFault } from './wire-fault.ts'

/** What a fault can reach: all that belongs to one slot. */
export interface FaultTarget {
  readonly wire: WireFaults
  readonly memory: FaultyMemory
  readonly context: FaultContext
  /** Takes the module's supply away for a moment. Does nothing in an empty slot. */
  reboot(): void
}

/** Something that can go wrong in a slot, with its figures. */
export interface Fault {
  /** For people. */
  readonly description: string
  /** Lets it begin; the returned function ends it. Undefined: it happened, and there is nothing to end. */
  readonly begin: (target: FaultTarget) => (() => void) | undefined
}

/** A fault between host and module. */
export function onWire(description: string, create: (context: FaultContext) => WireFault): Fault {
  return { description, begin: ({ wire, context }) => wire.add(create(context)) }
}
