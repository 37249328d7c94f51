import type { Clock, Log } from '@slotwire/core'
import type { PowerManager } from '@slotwire/driver'
import { choosePowerManager, createPowerManagerClient, POWER_MANAGER_SOCKET } from '@slotwire/driver/power-manager'

export interface PowerManagerOptions {
  /** The socket that was named with `--power-manager`; undefined: nobody named one. */
  readonly powerManager?: string | undefined
  /** Real time: the power manager is another process. */
  readonly clock: Clock
  readonly log: Log
}

/**
 * Who is asked for power, for `createDeviceService`: the power manager at the named socket, or at `POWER_MANAGER_SOCKET`
 * (`/run/power-mgmt/power-mgmt.socket`) whenever that is there; the built-in arbiter otherwise. Nothing is to be closed: a connection lasts as
 * long as the power configuration that it is for.
 */
export function powerManagerOf({ powerManager, clock, log }: PowerManagerOptions): (builtIn: PowerManager) => PowerManager {
  const socket = powerManager ?? POWER_MANAGER_SOCKET
  const client = createPowerManagerClient({ socket, clock })
  return (builtIn) => choosePowerManager({ socket, named: powerManager !== undefined, builtIn, client, log })
}
