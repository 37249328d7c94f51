import type { Clock, Log } from '@slotwire/core'
import type { PowerManager, PowerMode } from '@slotwire/driver'
import {
  choosePowerManager,
  createPowerManagerClient,
  MAX_SOCKET_PATH_BYTES,
  POWER_MANAGER_SOCKET,
} from '@slotwire/driver/power-manager'
import { UsageError } from '../terminal/usage-error.ts'

export interface PowerManagerOptions {
  /** The socket given with `--power-manager`; undefined: not given. */
  readonly powerManager?: string | undefined
  /** Mode of the built-in arbiter. */
  readonly powerMode: PowerMode
  /** Real time: the power manager is another process. */
  readonly clock: Clock
  readonly log: Log
}

/**
 * Chooses the power manager for `createDeviceService`: the given socket, or `POWER_MANAGER_SOCKET` (`/run/power-mgmt/power-mgmt.socket`) if
 * it exists, otherwise the built-in arbiter. Nothing needs closing: a connection ends with its power configuration. Throws `UsageError` if
 * the path is too long for a socket.
 */
export function powerManagerOf(options: PowerManagerOptions): (builtIn: PowerManager) => PowerManager {
  const { powerManager, powerMode: mode, clock, log } = options
  const socket = powerManager ?? POWER_MANAGER_SOCKET
  // The system would truncate the path and connect to another socket.
  if (Buffer.byteLength(socket) > MAX_SOCKET_PATH_BYTES)
    throw new UsageError(`--power-manager ${socket} is too long for a socket: at most ${MAX_SOCKET_PATH_BYTES} bytes`)
  const client = createPowerManagerClient({ socket, clock })
  return (builtIn) => choosePowerManager({ socket, named: powerManager !== undefined, builtIn, mode, client, log })
}
