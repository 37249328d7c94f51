import { type PlannedDoor, plannedDoors } from '@slotwire/gateway'
import { type Check, type Finding, failure, ok, warning } from '../check.ts'
import { formatListener, listenerAt } from '../host/listeners.ts'
import { addressFault } from '../host/own-address.ts'
import { isStateUsed } from '../host/processes.ts'
import type { Installation } from '../installation.ts'
import { missingLeave } from '../privileged-ports.ts'
import { settingsOf } from '../settings-of.ts'
import { setting } from '../slotwire-commands.ts'

export const networkPortsCheck: Check = {
  name: 'network ports',
  group: 'Ports',
  isForHardware: false,
  isPerService: true,
  subject: () => 'the ports of the network door',
  run: async (installation) => {
    const doors = plannedDoors(settingsOf(installation))
    if (doors.length === 0) return [ok('none: the network door is closed')]
    return Promise.all(doors.map((door) => judge(installation, door)))
  },
}

async function judge(installation: Installation, { scheme, host, port }: PlannedDoor): Promise<Finding> {
  const { state } = installation
  const name = `port ${port} at ${host}`
  const choose = setting(`doors.${scheme}-port`, installation)
  const listener = port === 0 ? undefined : await listenerAt(installation, port, [host])
  if (listener !== undefined) {
    // Whose it is may be hidden; a service that runs with this state folder has this port open.
    if (listener.isOurs || (listener.process === undefined && isStateUsed(state))) return ok('a Slotwire runs here', name)
    return failure(
      `taken by ${formatListener(listener)}`,
      `Stop that program (ss -ltnp 'sport = :${port}' shows it to root), or choose another port: ${choose}.`,
      name,
    )
  }
  const fault = await addressFault(host)
  if (fault !== undefined) {
    const remedy = `See which there are (ip address), and choose one of them, or 0.0.0.0 for all: ${setting('doors.listen', installation)}.`
    return failure(`${host} is no address of this machine now (${fault})`, remedy, name)
  }
  if (port === 0) return ok('any free one is picked', name)
  const missing = await missingLeave(installation, port)
  return missing === undefined
    ? ok('free', name)
    : warning(missing.found, `${missing.remedy}; or choose another port: ${choose}.`, name)
}
