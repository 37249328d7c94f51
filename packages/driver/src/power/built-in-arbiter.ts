import { type Backplane, LinkError, type Log, type PowerDescriptor } from '@slotwire/core'
import type { PowerDecision, PowerManager, RailPower } from './power-budget.ts'
import { powerBudgetErrors } from './power-budget-errors.ts'
import { isShort, NO_POWER, type PowerSupply, perRail, shortageOf } from './power-shortage.ts'

export type { PowerSupply } from './power-shortage.ts'

/** What each module that is there says of its power, by slot. */
export type PresentModules = ReadonlyMap<number, PowerDescriptor>

/** Where the budget comes from: the power module, wired in by the application. */
export interface PowerSource {
  /** The supply's figures; undefined where none of `modules`, which are all that are there, is a power module. */
  read(modules: PresentModules): Promise<PowerSupply | undefined>
}

/** `strict` denies what does not fit; `weak` grants it with a warning. */
export type PowerMode = 'strict' | 'weak'

export interface ArbiterOptions {
  readonly backplane: Pick<Backplane, 'powerDescriptors'>
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
    const modules = await this.#present()
    const supply = await source.read(modules)
    if (supply === undefined) {
      log.warn({ slot, ...need }, 'no power module: power is granted without a limit')
      return { granted: true, missing: NO_POWER }
    }
    const others = [...modules].filter(([one]) => one !== slot).map(([, module]) => shownBy(module))
    const before = shownBy(modules.get(slot))
    const adds = perRail((rail) => need[rail] - before[rail])
    const sum = perRail((rail) => others.reduce((total, other) => total + other[rail], need[rail]))
    const missing = shortageOf(sum, supply, adds)
    if (!isShort(missing)) return { granted: true, missing }
    if (mode === 'strict') return { granted: false, missing }
    log.warn({ slot, missing }, 'more power is granted than there is')
    return { granted: true, missing }
  }

  done(): Promise<void> {
    return Promise.resolve()
  }

  async #present(): Promise<PresentModules> {
    try {
      return await this.#options.backplane.powerDescriptors()
    } catch (error) {
      // It must not pass for free power.
      if (!(error instanceof LinkError)) throw error
      throw powerBudgetErrors.powerFiguresNotRead({ reason: error.message }, { cause: error })
    }
  }
}

/** A module that has left needs nothing. */
function shownBy(module: PowerDescriptor | undefined): RailPower {
  if (module === undefined) return NO_POWER
  return { power3v3: module.maxPower3v3, power5v0: module.maxPower5v0, power12v: module.maxPower12v }
}
