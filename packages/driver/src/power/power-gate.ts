import { type Clock, coreErrors, type Log, type ModuleDescriptor, Mutex, SlotwireError, withDeadline } from '@slotwire/core'
import { updateDescriptor } from '@slotwire/sdbp'
import type { SlotApi } from '../slot/slot.ts'
import type { Exchange, Job, WriteOptions } from '../slot/slot-api.ts'
import { restartModule } from '../slot/start-up.ts'
import { type PowerDecision, type PowerManager, powerBudgetErrors, type RailPower } from './power-budget.ts'

/** Longest wait for an answer of the power manager, in milliseconds. */
export const POWER_MANAGER_DEADLINE_MS = 1000
/** Longest wait of a slot for its turn, in milliseconds: longer than one grant session takes if its module hangs. */
export const POWER_TURN_DEADLINE_MS = 5000

/** A power configuration: the need, from the module's current descriptor, and the commands that configure the module. */
export interface PowerConfiguration {
  readonly need: (descriptor: ModuleDescriptor) => RailPower
  readonly configure: Job<void>
}

interface PowerGateOptions {
  readonly manager: PowerManager
  readonly clock: Clock
  readonly log: Log
  /** Called with each denial, and with each grant once the module is configured. Must not throw. */
  readonly onDecision?: (slot: SlotApi, decision: PowerDecision) => void
}

/** Applies power configurations, one at a time for the whole device; wire-protocol.md section 4. */
export type PowerGate = ReturnType<typeof createPowerGate>

/**
 * The power gate of a device: asks the manager, then configures the module; wire-protocol.md section 4.
 * The slot's queue comes first, then the device's turn. The holder of a turn waits only for the manager. The manager may read the power
 * module, which never waits for a turn. So there is no deadlock, and at most one request of each slot waits here.
 */
export function createPowerGate({ manager, clock, log, onDecision }: PowerGateOptions) {
  const turns = new Mutex()

  async function configured(
    slot: SlotApi,
    { need, configure }: PowerConfiguration,
    exchange: Exchange,
    before: WriteOptions['before'],
  ): Promise<PowerDecision> {
    const descriptor = await slot.descriptor()
    before?.()
    const decision = await ask(slot.slot, need(descriptor))
    if (!decision.granted) {
      // For the client a denial is an answer like others. Only the log shows which rail lacks power.
      log.info({ slot: slot.slot, missing: decision.missing }, 'power is denied')
      onDecision?.(slot, decision)
      return decision
    }
    try {
      await restartModule(exchange)
      await configure(exchange)
      await exchange(updateDescriptor, {})
    } catch (error) {
      await undo(slot, exchange)
      throw error
    }
    // Do not use a grant if the manager does not know of its use.
    try {
      await report(slot.slot, true)
    } catch (error) {
      await undo(slot, exchange)
      throw notConfirmed(error)
    }
    onDecision?.(slot, decision)
    return decision
  }

  /** A grant that comes too late is given back. */
  function ask(slot: number, need: RailPower): Promise<PowerDecision> {
    const late = ({ granted }: PowerDecision): void => {
      if (granted) void giveBack(slot)
    }
    return withDeadline(clock, POWER_MANAGER_DEADLINE_MS, manager.request(slot, need), silent, late)
  }

  function report(slot: number, applied: boolean): Promise<void> {
    return withDeadline(clock, POWER_MANAGER_DEADLINE_MS, manager.done(slot, applied), silent)
  }

  /**
   * Suspends a module that is half configured: without a grant it may use only its idle power. If that fails, the module is given up
   * before others get the power that it may be using.
   */
  async function undo(slot: SlotApi, exchange: Exchange): Promise<void> {
    try {
      await restartModule(exchange)
    } catch (error) {
      const fields = { slot: slot.slot, err: error }
      log.warn(fields, 'the module could not be suspended after a failed power configuration and is given up')
      await slot.giveUp()
    }
    await giveBack(slot.slot)
  }

  /** Never rejects: the request has failed already, and the client gets that error. */
  async function giveBack(slot: number): Promise<void> {
    try {
      await report(slot, false)
    } catch (error) {
      log.warn({ slot, err: error }, 'a power grant could not be given back')
    }
  }

  return {
    /**
     * Runs as one write of the slot, in order of arrival. Asks for the need; if granted, suspends and restarts the module, runs `configure`
     * and reports. A denial changes nothing. If a step fails, suspends the module, gives the grant back and throws the error. Calls
     * `before` again after the device's turn.
     */
    apply: (slot: SlotApi, configuration: PowerConfiguration, options: WriteOptions = {}): Promise<PowerDecision> =>
      slot.write(async (exchange) => {
        const late = (): Error => powerBudgetErrors.powerTurnLate({ slot: slot.slot, milliseconds: POWER_TURN_DEADLINE_MS })
        // A turn that comes too late is passed on.
        const end = await withDeadline(clock, POWER_TURN_DEADLINE_MS, turns.take(), late, (pass) => pass())
        try {
          return await configured(slot, configuration, exchange, options.before)
        } finally {
          end()
        }
      }, options),
  }
}

/** The report failed after the module was configured: tell the client that the configuration is lost. */
function notConfirmed(error: unknown): Error {
  const { message } = error instanceof SlotwireError ? error : coreErrors.internal()
  return powerBudgetErrors.powerNotConfirmed({ reason: message }, { cause: error })
}

function silent(): Error {
  return powerBudgetErrors.powerManagerSilent({ milliseconds: POWER_MANAGER_DEADLINE_MS })
}
