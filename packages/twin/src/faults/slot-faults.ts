import { checked } from '@slotwire/contract'
import { type Random, seededRandom } from '@slotwire/core'
import type { NonVolatileMemory } from '../module/memory.ts'
import type { ModuleRestart } from '../module/virtual-module.ts'
import { inMs } from '../settings/quantities.ts'
import type { Fault, FaultTarget } from './fault.ts'
import { FaultyMemory } from './faulty-memory.ts'
import type { FaultContext } from './faulty-wire.ts'
import { WireFaults } from './faulty-wire.ts'

/** An active fault; `clear` ends it. */
export interface ActiveFault extends Pick<Fault, 'kind' | 'description' | 'settings' | 'isOfModule'> {
  /** Unique on this device: `f1`, `f2`, … */
  readonly id: string
  readonly slot: number
  /** Twin time of its beginning, in ms. */
  readonly sinceMs: number
  /** Twin time at which it ends by itself; undefined if it lasts until it is cleared. */
  readonly untilMs: number | undefined
  clear(): void
}

/** Duration of a fault: up to a week. */
export const FAULT_DURATION_MS = inMs('duration; default: until it is cleared', {
  min: 1,
  max: 604_800_000,
  range: '1 ms to 168 h',
  examples: undefined,
})
/** Limit of active faults of one device. */
export const MAX_FAULTS = 100

/** The parts of a slot that faults affect. They stay when the module leaves. */
export type FaultySlot = Pick<FaultTarget, 'wire' | 'memory'>

export interface FaultsOptions extends FaultContext {
  /** Non-volatile memory of a slot. */
  readonly memory: (slot: number) => NonVolatileMemory
  /** Interrupts the supply of the module in a slot for a moment. */
  readonly reboot: (slot: number, lowMs: number, into?: ModuleRestart) => void
}

const SEEDS = 2 ** 32

/** The faults of a virtual device, by slot. */
export class Faults {
  readonly #slots = new Map<number, FaultySlot>()
  readonly #active = new Map<string, ActiveFault>()
  #lastId = 0
  #random: Random | undefined

  constructor(private readonly options: FaultsOptions) {}

  slot(slot: number): FaultySlot {
    const known = this.#slots.get(slot)
    if (known !== undefined) return known
    const made = { wire: new WireFaults(), memory: new FaultyMemory(this.options.memory(slot)) }
    this.#slots.set(slot, made)
    return made
  }

  /**
   * Injects a fault into a slot, for `forMs` or until it is cleared. Returns undefined if it is over at once. Throws `RangeError` for an
   * invalid duration, a duration for a fault that is over at once, and if the limit of faults is reached.
   */
  inject(slot: number, fault: Fault, { forMs }: { readonly forMs?: number | undefined } = {}): ActiveFault | undefined {
    checkDuration(fault, forMs)
    if (this.#active.size >= MAX_FAULTS) throw new RangeError(`limit of ${MAX_FAULTS} faults reached: clear some first`)
    const end = fault.begin(this.#target(slot))
    if (end === undefined) return undefined
    const { clock } = this.options
    const id = `f${++this.#lastId}`
    const sinceMs = clock.now()
    const timer = forMs === undefined ? undefined : clock.after(forMs, () => active.clear())
    const { kind, description, settings, isOfModule } = fault
    const active: ActiveFault = {
      id,
      slot,
      kind,
      description,
      settings,
      isOfModule,
      sinceMs,
      untilMs: forMs === undefined ? undefined : sinceMs + forMs,
      clear: () => {
        timer?.cancel()
        if (this.#active.delete(id)) end()
      },
    }
    this.#active.set(id, active)
    return active
  }

  /** In the order of injection. */
  active(): readonly ActiveFault[] {
    return [...this.#active.values()]
  }

  /** Ends all faults, or those of one slot; returns how many. */
  clear(slot?: number): number {
    const cleared = this.active().filter((fault) => slot === undefined || fault.slot === slot)
    for (const fault of cleared) fault.clear()
    return cleared.length
  }

  /** Clears the faults inside the module that leaves a slot. */
  moduleLeft(slot: number): void {
    for (const fault of this.active()) if (fault.slot === slot && fault.isOfModule === true) fault.clear()
  }

  #target(slot: number): FaultTarget {
    const { clock, random, reboot } = this.options
    // A separate random sequence, so that faults do not change the other random values of the device.
    this.#random ??= seededRandom(Math.floor(random() * SEEDS))
    return { ...this.slot(slot), context: { clock, random: this.#random }, reboot: (...how) => reboot(slot, ...how) }
  }
}

function checkDuration({ kind, lasts }: Fault, forMs: number | undefined): void {
  if (forMs === undefined) return
  if (!lasts) throw new RangeError(`${kind} has no duration: leave forMs out`)
  checked('forMs', FAULT_DURATION_MS, forMs)
}
