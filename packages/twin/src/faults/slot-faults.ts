import type { Clock, Random } from '@slotwire/core'
import { seededRandom } from '@slotwire/core'
import type { NonVolatileMemory } from '../memory.ts'
import type { Fault, FaultTarget } from './fault.ts'
import { FaultyMemory } from './faulty-memory.ts'
import { WireFaults } from './faulty-wire.ts'

/** A fault that lasts; `clear` ends it, once. */
export interface ActiveFault {
  /** Unique on this device. */
  readonly id: number
  readonly slot: number
  readonly description: string
  clear(): void
}

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

  /** Lets something go wrong in a slot, for `forMs` (or until it is cleared). Undefined: it happened, and there is nothing to clear. */
  inject(slot: number, fault: Fault, { forMs }: { readonly forMs?: number | undefined } = {}): ActiveFault | undefined {
    const end = fault.begin(this.#target(slot))
    if (end === undefined) return undefined
    const id = ++this.#lastId
    const timer = forMs === undefined ? undefined : this.#options.clock.after(forMs, () => active.clear())
    const active: ActiveFault = {
      id,
      slot,
      description: fault.description,
      clear: () => {
        timer?.cancel()
        if (this.#active.delete(id)) end()
      },
    }
    this.#active.set(id, active)
    return active
  }

  /** In the order in which they began. */
  active(): readonly ActiveFault[] {
    return [...this.#active.values()]
  }

  /** Ends all faults, or all of one slot. */
  clear(slot?: number): void {
    for (const fault of this.active()) if (slot === undefined || fault.slot === slot) fault.clear()
  }

  #target(slot: number): FaultTarget {
    const { clock, random, reboot } = this.#options
    // Randomness of its own: what goes wrong does not change what else the device draws.
    this.#random ??= seededRandom(Math.floor(random() * SEEDS))
    return { ...this.slot(slot), context: { clock, random: this.#random }, reboot: () => reboot(slot) }
  }
}
