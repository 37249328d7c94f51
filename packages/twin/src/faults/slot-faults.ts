import type { Clock, Random } from '@slotwire/core'
import { checked, seededRandom } from '@slotwire/core'
import type { NonVolatileMemory } from '../module/memory.ts'
import type { NumberField, Settings } from '../settings/field.ts'
import type { Fault, FaultTarget } from './fault.ts'
import { FaultyMemory } from './faulty-memory.ts'
import { WireFaults } from './faulty-wire.ts'

/** A fault that lasts; `clear` ends it, once. */
export interface ActiveFault {
  /** Unique on this device. */
  readonly id: number
  readonly slot: number
  /** As in `lostFrames`, or `fan_blocked` of a module that has one. */
  readonly kind: string
  readonly description: string
  readonly settings: Settings
  /** Twin time at which it began. */
  readonly sinceMs: number
  /** Twin time at which it ends by itself; undefined: when it is cleared. */
  readonly untilMs: number | undefined
  clear(): void
}

/** How long a fault may be told to last: up to a week. */
export const FAULT_DURATION_MS = {
  type: 'number',
  meaning: 'how long; until it is cleared where it is left out',
  unit: 'ms',
  min: 1,
  max: 604_800_000,
} as const satisfies NumberField
/** Faults of one device at a time. */
export const MOST_FAULTS = 100

/** A slot as faults see it. It stays when the module leaves. */
export interface FaultySlot {
  readonly wire: WireFaults
  readonly memory: FaultyMemory
}

export interface FaultsOptions {
  readonly clock: Clock
  readonly random: Random
  /** Non-volatile memory of a slot. */
  readonly memory: (slot: number) => NonVolatileMemory
  /** Takes the supply of the module in a slot away for a moment. */
  readonly reboot: (slot: number) => void
}

const SEEDS = 2 ** 32

/** What is wrong with a virtual device, slot by slot. */
export class Faults {
  readonly #options: FaultsOptions
  readonly #slots = new Map<number, FaultySlot>()
  readonly #active = new Map<number, ActiveFault>()
  readonly #ofModules = new WeakSet<ActiveFault>()
  #lastId = 0
  #random: Random | undefined

  constructor(options: FaultsOptions) {
    this.#options = options
  }

  slot(slot: number): FaultySlot {
    const known = this.#slots.get(slot)
    if (known !== undefined) return known
    const made = { wire: new WireFaults(), memory: new FaultyMemory(this.#options.memory(slot)) }
    this.#slots.set(slot, made)
    return made
  }

  /**
   * Lets something go wrong in a slot, for `forMs` (or until it is cleared). Undefined: it happened, and there is nothing to clear. Throws
   * `RangeError` for a time that is none, or that something is given which happens at once, and where there is no room.
   */
  inject(slot: number, fault: Fault, { forMs }: { readonly forMs?: number | undefined } = {}): ActiveFault | undefined {
    checkDuration(fault, forMs)
    if (this.#active.size >= MOST_FAULTS)
      throw new RangeError(`there are ${MOST_FAULTS} faults, the most there can be: clear some first`)
    const end = fault.begin(this.#target(slot))
    if (end === undefined) return undefined
    const { clock } = this.#options
    const id = ++this.#lastId
    const sinceMs = clock.now()
    const timer = forMs === undefined ? undefined : clock.after(forMs, () => active.clear())
    const { kind, description, settings, isOfModule = false } = fault
    const active: ActiveFault = {
      id,
      slot,
      kind,
      description,
      settings,
      sinceMs,
      untilMs: forMs === undefined ? undefined : sinceMs + forMs,
      clear: () => {
        timer?.cancel()
        if (this.#active.delete(id)) end()
      },
    }
    this.#active.set(id, active)
    if (isOfModule) this.#ofModules.add(active)
    return active
  }

  /** In the order in which they began. */
  active(): readonly ActiveFault[] {
    return [...this.#active.values()]
  }

  /** Ends all faults, or all of one slot; returns how many. */
  clear(slot?: number): number {
    const going = this.active().filter((fault) => slot === undefined || fault.slot === slot)
    for (const fault of going) fault.clear()
    return going.length
  }

  /** The module in a slot leaves, and takes with it what is wrong in itself. */
  moduleLeft(slot: number): void {
    for (const fault of this.active()) if (fault.slot === slot && this.#ofModules.has(fault)) fault.clear()
  }

  #target(slot: number): FaultTarget {
    const { clock, random, reboot } = this.#options
    // Randomness of its own: what goes wrong does not change what else the device draws.
    this.#random ??= seededRandom(Math.floor(random() * SEEDS))
    return { ...this.slot(slot), context: { clock, random: this.#random }, reboot: () => reboot(slot) }
  }
}

function checkDuration({ kind, lasts }: Fault, forMs: number | undefined): void {
  if (forMs === undefined) return
  if (!lasts) throw new RangeError(`${kind} happens at once and is over: leave forMs out`)
  checked('forMs', FAULT_DURATION_MS, forMs)
}
