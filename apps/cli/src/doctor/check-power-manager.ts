import { stat } from 'node:fs/promises'
import type { Clock } from '@slotwire/core'
import { POWER_MANAGER_SOCKET } from '@slotwire/driver/power-manager'
import { type Check, type Finding, failure, ok, warning } from './check.ts'
import { tryToConnect } from './connect.ts'
import { reasonOf, shellWord } from './files.ts'
import type { Installation } from './installation.ts'
import { closedFolder, formatRights, giving, mayUse, WRITE } from './permission.ts'

/** Enabled: one that no unit wants stops by itself. */
const START = 'start the power manager (systemctl enable --now slotwire-power-manager)'

export const powerManagerCheck: Check = {
  name: 'power manager',
  group: 'Ports',
  isForHardware: true,
  isPerService: true,
  subject: ({ powerManager }) => powerManager.socket,
  run: async (installation, clock) => [await judge(installation, clock)],
}

async function judge({ powerManager: { socket, isNamed }, user }: Installation, clock: Clock): Promise<Finding> {
  const rights = await stat(socket).catch(reasonOf)
  if (rights === 'ENOENT' && !isNamed) return ok(`${socket} does not exist: the service shares the power out itself`)
  if (rights === 'ENOENT') return failure(`${socket} does not exist`, `Either ${START}, or leave --power-manager out.`)
  if (typeof rights === 'string')
    return failure(`${socket} cannot be looked at (${rights})`, `See what is there as root: stat ${shellWord(socket)}.`)
  if (!rights.isSocket()) {
    return failure(
      `${socket} is no socket`,
      `Name the socket of the power manager with --power-manager <socket> (${POWER_MANAGER_SOCKET} where nothing else is said); what is there: ls -ld ${shellWord(socket)}.`,
    )
  }
  const closed = await closedFolder(socket, user)
  if (closed !== undefined)
    return failure(`${user.name} may not enter ${closed}`, `Let the user in: chmod a+x ${shellWord(closed)}.`)
  if (!mayUse(rights, user, WRITE)) {
    return failure(
      `${user.name} may not use ${socket} (${formatRights(rights)})`,
      `Give it to the user: ${giving(socket, user, 'rw')}.`,
    )
  }
  const outcome = await tryToConnect({ path: socket }, clock)
  if (outcome === 'accepted') return ok(`${socket} answers`)
  if (outcome === 'ECONNREFUSED')
    return failure(
      `${socket} is left over: nobody listens`,
      // What somebody typed may be another program's.
      isNamed ? `Either ${START}, or name another, or none.` : `Either ${START}, or remove it: rm ${shellWord(socket)}.`,
    )
  if (outcome === 'EACCES' || outcome === 'EPERM') {
    return warning(
      `${user.name} may use ${socket}, but who asks here may not: whether it answers is not known`,
      'Look again as root.',
    )
  }
  return failure(`${socket} does not answer (${outcome})`, 'Start it anew: systemctl restart slotwire-power-manager.')
}
