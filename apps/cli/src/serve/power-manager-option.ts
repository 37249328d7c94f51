import type { Clock, Log } from '@slotwire/core'
import type { PowerManager, PowerMode } from '@slotwire/driver'
import {
  choosePowerManager,
  createPowerManagerClient,
  LONGEST_SOCKET_PATH,
  POWER_MANAGER_SOCKET,
} from '@slotwire/driver/power-manager'
import { UsageError } from '../terminal/usage-error.ts'

export interface PowerManagerOptions {
  /** The socket that was named with `--power-manager`; undefined: nobody named one. */
  readonly powerManager?: string | undefined
  /** That of the built-in arbiter. */
  readonly powerMode: PowerMode
  /** Real time: the power manager is another process. */
  readonly clock: Clock
  readonly log: Log
}

/**
 * Who is asked for power, for `createDeviceService`: the power manager at the named socket, or at `POWER_MANAGER_SOCKET`
 * (`/run/power-mgmt/power-mgmt.socket`) whenever that is there; the built-in arbiter otherwise. Nothing is to be closed: a connection lasts as
 * long as the power configuration that it is for. Throws `UsageError` for a path that no socket can have.
 */
export function powerManagerOf(options: PowerManagerOptions): (builtIn: PowerManager) => PowerManager {
  const { powerManager, powerMode: mode, clock, log } = options
  const socket = powerManager ?? POWER_MANAGER_SOCKET
  // The system would cut it, and ask whoever listens there.
  if (Buffer.byteLength(socket) > LONGEST_SOCKET_PATH)
    throw new UsageError(`--power-manager ${socket} is too long for a socket: at most ${LONGEST_SOCKET_PATH} bytes`)
  const client = createPowerManagerClient({ socket, clock })
  return (builtIn) => choosePowerManager({ socket, named: powerManager !== undefined, builtIn, mode, client, log })
}
