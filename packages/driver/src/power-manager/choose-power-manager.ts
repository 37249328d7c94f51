import { stat } from 'node:fs/promises'
import type { Log } from '@slotwire/core'
import type { PowerMode } from '../power/built-in-arbiter.ts'
import type { PowerDecision, PowerManager, RailPower } from '../power/power-budget.ts'
import { powerManagerErrors } from './power-manager-errors.ts'

export interface PowerManagerChoice {
  /** Path of the Unix socket. */
  readonly socket: string
  /** Whether somebody named it: then it is asked even while it is not there. */
  readonly named: boolean
  readonly builtIn: PowerManager
  /** That of the built-in one. */
  readonly mode: PowerMode
  /** Asks whoever listens at the socket. */
  readonly client: PowerManager
  readonly log: Log
}

/** The power manager at the socket when it was named, or is there at the moment of a request; otherwise the built-in one. */
export function choosePowerManager(choice: PowerManagerChoice): PowerManager {
  return new ChosenPowerManager(choice)
}

class ChosenPowerManager implements PowerManager {
  readonly #choice: PowerManagerChoice
  /** Whom a slot's last request went to: it is told how that ended. */
  readonly #asked = new Map<number, PowerManager>()
  #last: PowerManager | undefined

  constructor(choice: PowerManagerChoice) {
    this.#choice = choice
  }

  async request(slot: number, need: RailPower): Promise<PowerDecision> {
    const manager = await this.#choose()
    this.#asked.set(slot, manager)
    return manager.request(slot, need)
  }

  async done(slot: number, applied: boolean): Promise<void> {
    await this.#asked.get(slot)?.done(slot, applied)
  }

  async #choose(): Promise<PowerManager> {
    const { socket, named, builtIn, mode, client, log } = this.#choice
    const chosen = named || (await isSocket(socket)) ? client : builtIn
    if (chosen !== this.#last) {
      if (chosen === client) {
        log.info({ socket }, 'the power manager at the socket is asked for power')
        if (mode === 'weak') log.warn({ socket }, 'the weak power mode of this service has no effect: the power manager decides')
      } else log.info({ socket }, 'no power manager has its socket here: the built-in one is asked for power')
      this.#last = chosen
    }
    return chosen
  }
}

/** That it cannot be looked at must not pass for a power manager that is not there. */
async function isSocket(socket: string): Promise<boolean> {
  try {
    return (await stat(socket)).isSocket()
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : String(error)
    if (reason === 'ENOENT' || reason === 'ENOTDIR') return false
    throw powerManagerErrors.powerManagerUnreachable({ socket, reason }, { cause: error })
  }
}
