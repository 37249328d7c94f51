import { type Backplane, LinkError, type Log } from '@slotwire/core'
import type { PowerDecision, PowerManager, RailPower } from './power-budget.ts'
import { isShort, NO_POWER, type PowerSupply, shortageOf, sumOf } from './power-shortage.ts'

export type { PowerSupply } from './power-shortage.ts'

/** Where the budget comes from: the power module, wired in by the application. */
export interface PowerSource {
  /** The supply's figures; undefined where there is no power module. */
  read(): Promise<PowerSupply | undefined>
}

/** `strict` denies what does not fit; `weak` grants it with a warning. */
export type PowerMode = 'strict' | 'weak'

export interface ArbiterOptions {
  readonly backplane: Pick<Backplane, 'present' | 'descriptor'>
  readonly source: PowerSource
  readonly mode: PowerMode
  readonly log: Log
}

/** Holds the power budget of a device by the descriptors of the modules that are present; wire-protocol.md section 4. */
export class BuiltInArbiter implements PowerManager {
  readonly #options: ArbiterOptions
  /** Granted, and not yet to be seen in the descriptor. */
  readonly #grants = new Map<number, RailPower>()

  constructor(options: ArbiterOptions) {
    this.#options = options
  }

  async request(slot: number, need: RailPower): Promise<PowerDecision> {
    const { source, mode, log } = this.#options
    const supply = await source.read()
    if (supply === undefined) {
      log.warn({ slot, ...need }, 'no power module: power is granted without a limit')
      return this.#grant(slot, need, NO_POWER)
    }
    const [others, before] = await Promise.all([this.#reservedByOthers(slot), this.#shownBy(slot)])
    // The grants are looked at only now: everything from here to the new grant happens in one go.
    const missing = shortageOf(sumOf(this.#withGrants(others), need), supply, difference(need, before))
    if (!isShort(missing)) return this.#grant(slot, need, missing)
    if (mode === 'strict') return { granted: false, missing }
    log.warn({ slot, missing }, 'more power is granted than there is')
    return this.#grant(slot, need, missing)
  }

  done(slot: number): Promise<void> {
    this.#grants.delete(slot)
    return Promise.resolve()
  }

  #grant(slot: number, need: RailPower, missing: RailPower): PowerDecision {
    this.#grants.set(slot, need)
    return { granted: true, missing }
  }

  async #reservedByOthers(asking: number): Promise<ReadonlyMap<number, RailPower>> {
    const others = this.#options.backplane.present().filter((slot) => slot !== asking)
    return new Map(await Promise.all(others.map(async (slot) => [slot, await this.#shownBy(slot)] as const)))
  }

  /** A module between two configurations may draw what either allows. */
  #withGrants(others: ReadonlyMap<number, RailPower>): RailPower {
    let sum = NO_POWER
    for (const [slot, shown] of others) sum = sumOf(sum, largerOf(shown, this.#grants.get(slot) ?? NO_POWER))
    return sum
  }

  async #shownBy(slot: number): Promise<RailPower> {
    try {
      const descriptor = await this.#options.backplane.descriptor(slot)
      return { power3v3: descriptor.maxPower3v3, power5v0: descriptor.maxPower5v0, power12v: descriptor.maxPower12v }
    } catch (error) {
      // Who has left in the meantime needs nothing; any other failure must not pass for free power.
      if (error instanceof LinkError && error.failure === 'gone') return NO_POWER
      throw error
    }
  }
}

function difference(one: RailPower, other: RailPower): RailPower {
  return {
    power3v3: one.power3v3 - other.power3v3,
    power5v0: one.power5v0 - other.power5v0,
    power12v: one.power12v - other.power12v,
  }
}

function largerOf(one: RailPower, other: RailPower): RailPower {
  return {
    power3v3: Math.max(one.power3v3, other.power3v3),
    power5v0: Math.max(one.power5v0, other.power5v0),
    power12v: Math.max(one.power12v, other.power12v),
  }
}
