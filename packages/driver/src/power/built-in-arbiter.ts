import { type Backplane, type LastKnownPower, LinkError, type Log, type PowerDescriptor, perRail } from '@slotwire/core'
import type { Rack } from '../rack/rack.ts'
import {
  isShort,
  NO_POWER,
  type PowerDecision,
  type PowerManager,
  type PowerSupply,
  powerBudgetErrors,
  type RailPower,
  shortageOf,
} from './power-budget.ts'

/** The power descriptor of each module that is present, by slot. */
export type PresentModules = ReadonlyMap<number, PowerDescriptor>

/** Reads the supply's figures from the power module; undefined if `modules`, which are all modules present, contain none. */
export type ReadSupply = (modules: PresentModules) => Promise<PowerSupply | undefined>

/** `strict` denies what does not fit; `weak` grants it with a warning. */
export type PowerMode = 'strict' | 'weak'

export interface ArbiterOptions {
  readonly backplane: Pick<Backplane, 'powerDescriptors'>
  readonly readSupply: ReadSupply
  readonly mode: PowerMode
  readonly log: Log
  /** The power descriptor of a module in its initial state. */
  readonly descriptorOf?: LastKnownPower
}

/**
 * The power budget of a device, from the descriptors of the modules present; wire-protocol.md section 4. It stores no grants. The power
 * gate allows one request at a time, until that module's descriptor shows its grant. It knows one only while a descriptor cannot be read.
 */
export class BuiltInArbiter implements PowerManager {
  /** The figures of the modules, as read or applied last: those of a module that does not answer count until it is back or unplugged. */
  #known = new Map<number, PowerDescriptor>()
  readonly #needs = new Map<number, RailPower>()

  constructor(private readonly options: ArbiterOptions) {}

  async request(slot: number, need: RailPower): Promise<PowerDecision> {
    const { readSupply, mode, log } = this.options
    const modules = await this.#present()
    this.#needs.set(slot, need)
    const supply = await readSupply(modules)
    if (supply === undefined) {
      log.warn({ slot, ...need }, 'no power module: power is granted without a limit')
      return { granted: true, missing: NO_POWER }
    }
    const others = [...modules].filter(([one]) => one !== slot).map(([, module]) => shownBy(module))
    const before = shownBy(modules.get(slot))
    const adds = perRail('power', (rail) => need[`power${rail}`] - before[`power${rail}`])
    const sum = perRail('power', (rail) => others.reduce((total, other) => total + other[`power${rail}`], need[`power${rail}`]))
    const missing = shortageOf(sum, supply, adds)
    if (!isShort(missing)) return { granted: true, missing }
    if (mode === 'strict') return { granted: false, missing }
    log.warn({ slot, missing }, 'more power is granted than is available')
    return { granted: true, missing }
  }

  done(slot: number, applied: boolean): Promise<void> {
    const need = this.#needs.get(slot)
    const known = this.#known.get(slot)
    if (!applied) this.#known.delete(slot)
    else if (need !== undefined && known !== undefined)
      this.#known.set(slot, { ...known, ...perRail('maxPower', (rail) => need[`power${rail}`]) })
    return Promise.resolve()
  }

  async #present(): Promise<PresentModules> {
    try {
      const lastKnown: LastKnownPower = (slot) => {
        const known = this.#known.get(slot) ?? this.options.descriptorOf?.(slot)
        if (known !== undefined)
          this.options.log.warn({ slot }, 'the power needs of the module cannot be read: its last ones count')
        return known
      }
      const modules = await this.options.backplane.powerDescriptors(lastKnown)
      this.#known = new Map(modules)
      return modules
    } catch (error) {
      // Report it: an unknown supply must not pass for unlimited power.
      if (!(error instanceof LinkError)) throw error
      throw powerBudgetErrors.powerFiguresNotRead({ reason: error.message }, { cause: error })
    }
  }
}

/** A module that has left needs nothing. */
function shownBy(module: PowerDescriptor | undefined): RailPower {
  return perRail('power', (rail) => module?.[`maxPower${rail}`] ?? 0)
}

/** Host part of a module type: provides the power budget of the device. */
export interface ModuleHost {
  readonly vendorProductId: string
  /** Service name, and its loopback port when a device serves this type alone. */
  readonly service: string
  readonly port: number
  /** Budget, read by the driver. `isDriven`: `rack` drives modules of this type. While the module does not answer, its last budget counts. */
  budgetIn(options: {
    readonly rack: Pick<Rack, 'usable' | 'inventory' | 'subscribe'>
    readonly isDriven: boolean
    readonly log: Log
  }): ReadSupply
  /** Budget, read from the service in another process. `getJson` resolves with the reply to a GET of a path. */
  budgetOverHttp(getJson: (path: string) => Promise<unknown>): ReadSupply
}
