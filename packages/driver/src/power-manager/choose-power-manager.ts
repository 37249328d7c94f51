import { stat } from 'node:fs/promises'
import type { Log } from '@slotwire/core'
import type { PowerMode } from '../power/built-in-arbiter.ts'
import type { PowerManager } from '../power/power-budget.ts'
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
export function choosePowerManager({ socket, named, builtIn, mode, client, log }: PowerManagerChoice): PowerManager {
  /** Whom a slot's last request went to: it is told how that ended. */
  const asked = new Map<number, PowerManager>()
  let last: PowerManager | undefined

  async function choose(): Promise<PowerManager> {
    const chosen = named || (await isSocket(socket)) ? client : builtIn
    if (chosen === last) return chosen
    last = chosen
    if (chosen === builtIn) log.info({ socket }, 'no power manager has its socket here: the built-in one is asked for power')
    else {
      log.info({ socket }, 'the power manager at the socket is asked for power')
      if (mode === 'weak') log.warn({ socket }, 'the weak power mode of this service has no effect: the power manager decides')
    }
    return chosen
  }

  return {
    request: async (slot, need) => {
      const manager = await choose()
      asked.set(slot, manager)
      return manager.request(slot, need)
    },
    done: async (slot, applied) => asked.get(slot)?.done(slot, applied),
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
