import { type Clock, coreErrors, type Log } from '@slotwire/core'
import { modeRun, modeSuspend, updateDescriptor } from '@slotwire/sdbp'
import { withDeadline } from './deadline.ts'
import type { PowerDecision, PowerManager, RailPower } from './power-budget.ts'
import { powerBudgetErrors } from './power-budget-errors.ts'
import type { PowerGate } from './power-gate.ts'
import { QUEUE_LIMIT } from './request-queue.ts'
import type { Exchange, Job, SlotApi } from './slot-api.ts'
import { Turns } from './turns.ts'

/** Longest wait for an answer of the power manager, in milliseconds. */
export const POWER_MANAGER_DEADLINE_MS = 1000
/** Longest that a granted request waits for its slot before the grant is given back, in milliseconds: others wait for their turn. */
export const POWER_SLOT_DEADLINE_MS = 3000
/** Power configurations that may wait for their turn, in the whole device: as many as other writes may for one slot. */
export const POWER_QUEUE_LIMIT = QUEUE_LIMIT

export interface PowerGateOptions {
  readonly manager: PowerManager
  readonly clock: Clock
  readonly log: Log
}

/** The power gate of a device: asks the manager, then configures the module; wire-protocol.md section 4. */
export function createPowerGate(options: PowerGateOptions): PowerGate {
  return new DevicePowerGate(options)
}

class DevicePowerGate implements PowerGate {
  readonly #options: PowerGateOptions
  readonly #turns = new Turns(POWER_QUEUE_LIMIT)

  constructor(options: PowerGateOptions) {
    this.#options = options
  }

  apply(slot: SlotApi, need: RailPower, configure: Job<void>): Promise<PowerDecision> {
    return this.#turns.take(
      () => this.#dance(slot, need, configure),
      () => coreErrors.queueFull({ slot: slot.slot, limit: POWER_QUEUE_LIMIT }),
    )
  }

  async #dance(slot: SlotApi, need: RailPower, configure: Job<void>): Promise<PowerDecision> {
    const decision = await this.#ask(slot.slot, need)
    if (!decision.granted) return decision
    try {
      await this.#runInTime(slot, (exchange) => this.#configure(slot.slot, exchange, configure))
    } catch (error) {
      await this.#giveBack(slot.slot)
      throw error
    }
    await this.#confirm(slot)
    return decision
  }

  /** A grant that the manager does not know to be used must not be used. */
  async #confirm(slot: SlotApi): Promise<void> {
    try {
      await this.#report(slot.slot, true)
    } catch (error) {
      await this.#runInTime(slot, restart).catch((second: unknown) => this.#logNotSuspended(slot.slot, second))
      await this.#giveBack(slot.slot)
      throw error
    }
  }

  #ask(slot: number, need: RailPower): Promise<PowerDecision> {
    const { manager, clock } = this.#options
    return withDeadline(clock, POWER_MANAGER_DEADLINE_MS, manager.request(slot, need), silent, (late) => {
      if (!late.granted) return
      this.#giveBack(slot).catch((error: unknown) => {
        this.#options.log.error({ slot, err: error }, 'a late grant could not be given back')
      })
    })
  }

  #report(slot: number, applied: boolean): Promise<void> {
    const { manager, clock } = this.#options
    return withDeadline(clock, POWER_MANAGER_DEADLINE_MS, manager.done(slot, applied), silent)
  }

  /** The request has failed already: what went wrong there is what the client is told. */
  async #giveBack(slot: number): Promise<void> {
    try {
      await this.#report(slot, false)
    } catch (error) {
      this.#options.log.warn({ slot, err: error }, 'a power grant could not be given back')
    }
  }

  /** One job for all of it; given up if the slot, busy with others, has not begun it in time. */
  async #runInTime(slot: SlotApi, work: Job<void>): Promise<void> {
    let state: 'waiting' | 'begun' | 'given-up' = 'waiting'
    const late = coreErrors.moduleFailed({ slot: slot.slot, command: modeSuspend.name, attempts: 0 })
    let giveUp: (error: Error) => void = () => undefined
    const tooLate = new Promise<never>((_, reject) => {
      giveUp = reject
    })
    const timer = this.#options.clock.after(POWER_SLOT_DEADLINE_MS, () => {
      if (state !== 'waiting') return
      state = 'given-up'
      giveUp(late)
    })
    const job = slot.write(async (exchange) => {
      if (state === 'given-up') throw late
      state = 'begun'
      timer.cancel()
      await work(exchange)
    })
    try {
      await Promise.race([job, tooLate])
    } finally {
      timer.cancel()
    }
  }

  async #configure(slot: number, exchange: Exchange, configure: Job<void>): Promise<void> {
    try {
      await restart(exchange)
      await configure(exchange)
      await exchange(updateDescriptor, {})
    } catch (error) {
      // A module that is configured half-way must not stay so: whatever it was granted, it needs its idle power only.
      await restart(exchange).catch((second: unknown) => this.#logNotSuspended(slot, second))
      throw error
    }
  }

  #logNotSuspended(slot: number, error: unknown): void {
    this.#options.log.warn({ slot, err: error }, 'the module could not be suspended after a failed power configuration')
  }
}

/** After each MODE_SUSPEND: UPDATE_DESCRIPTOR, then MODE_RUN; wire-protocol.md section 3. */
async function restart(exchange: Exchange): Promise<void> {
  await exchange(modeSuspend, {})
  await exchange(updateDescriptor, {})
  await exchange(modeRun, {})
}

function silent(): Error {
  return powerBudgetErrors.powerManagerSilent({ milliseconds: POWER_MANAGER_DEADLINE_MS })
}
