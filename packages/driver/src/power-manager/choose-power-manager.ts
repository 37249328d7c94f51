import { stat } from 'node:fs/promises'
import type { Log } from '@slotwire/core'
import type { PowerMode } from '../power/built-in-arbiter.ts'
import type { PowerManager } from '../power/power-budget.ts'
import { powerManagerErrors } from './power-manager-errors.ts'

interface PowerManagerChoice {
  /** Path of the Unix socket. */
  readonly socket: string
  /** Whether the path comes from the settings. Then the socket is used even while it is missing. */
  readonly named: boolean
  readonly builtIn: PowerManager
  /** The mode of the built-in one. */
  readonly mode: PowerMode
  /** Asks the power manager at the socket. */
  readonly client: PowerManager
  readonly log: Log
}

/**
 * Uses the power manager at the socket if the path was configured, or if the socket exists at the time of a request; otherwise the
 * built-in one.
 */
export function choosePowerManager({ socket, named, builtIn, mode, client, log }: PowerManagerChoice): PowerManager {
  /** The manager that got the last request of a slot: it also gets the report about its end. */
  const managers = new Map<number, PowerManager>()
  let last: PowerManager | undefined

  async function choose(): Promise<PowerManager> {
    const chosen = named || (await isSocket(socket)) ? client : builtIn
    if (chosen === last) return chosen
    last = chosen
    if (chosen === builtIn) log.info({ socket }, 'no power manager has a socket here: using the built-in one')
    else {
      log.info({ socket }, 'using the power manager at the socket')
      if (mode === 'weak') log.warn({ socket }, 'the weak power mode of this service has no effect: the power manager decides')
    }
    return chosen
  }

  return {
    request: async (slot, need) => {
      const manager = await choose()
      managers.set(slot, manager)
      return manager.request(slot, need)
    },
    done: async (slot, applied) => managers.get(slot)?.done(slot, applied),
  }
}

/** Whether a socket is there. Rejects if that cannot be found out, which must not pass for a missing one. */
async function isSocket(socket: string): Promise<boolean> {
  try {
    return (await stat(socket)).isSocket()
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : String(error)
    if (reason === 'ENOENT' || reason === 'ENOTDIR') return false
    throw powerManagerErrors.powerManagerUnreachable({ socket, reason }, { cause: error })
  }
}
