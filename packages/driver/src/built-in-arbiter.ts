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

/**
 * Holds the power budget of a device by the descriptors of the modules that are present; wire-protocol.md section 4. It keeps no account:
 * the power gate lets one at a time ask, and until its module's descriptor shows what it was granted.
 */
export class BuiltInArbiter implements PowerManager {
  readonly #options: ArbiterOptions

  constructor(options: ArbiterOptions) {
    this.#options = options
  }

  async request(slot: number, need: RailPower): Promise<PowerDecision> {
    const { source, mode, log } = this.#options
    const supply = await source.read()
    if (supply === undefined) {
      log.warn({ slot, ...need }, 'no power module: power is granted without a limit')
      return { granted: true, missing: NO_POWER }
    }
    const [others, before] = await Promise.all([this.#reservedByOthers(slot), this.#shownBy(slot)])
    const missing = shortageOf(sumOf(others, need), supply, difference(need, before))
    if (!isShort(missing)) return { granted: true, missing }
    if (mode === 'strict') return { granted: false, missing }
    log.warn({ slot, missing }, 'more power is granted than there is')
    return { granted: true, missing }
  }

  done(): Promise<void> {
    return Promise.resolve()
  }

  async #reservedByOthers(asking: number): Promise<RailPower> {
    const others = this.#options.backplane.present().filter((slot) => slot !== asking)
    const shown = await Promise.all(others.map((slot) => this.#shownBy(slot)))
    return shown.reduce(sumOf, NO_POWER)
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
