import { processUsing } from '../state-lock.ts'
import { type Check, type Finding, failure, ok, warning } from './check.ts'
import { shellWord } from './files.ts'
import type { Installation } from './installation.ts'
import { formatListener, listenerAt } from './listeners.ts'
import { firstFreePort } from './privileged-ports.ts'
import { storedSettings } from './stored-settings.ts'

export const networkPortsCheck: Check = {
  name: 'network ports',
  group: 'Ports',
  isForHardware: false,
  subject: () => 'the ports of the network door',
  run: async (installation) => {
    const { listen, httpsPort, httpPort } = storedSettings(installation.state)
    if (listen.length === 0) return [ok('none: the network door is closed')]
    const doors = [
      { setting: 'https-port', port: httpsPort },
      ...(httpPort === undefined ? [] : [{ setting: 'http-port', port: httpPort }]),
    ]
    return Promise.all(doors.map((door) => judge(installation, door)))
  },
}

async function judge(
  installation: Installation,
  { setting, port }: { readonly setting: string; readonly port: number },
): Promise<Finding> {
  const { roots, user, state } = installation
  const name = `port ${port}`
  const choose = `slotwire config set ${setting} <number> --state ${shellWord(state)}`
  const listener = await listenerAt(installation, port)
  if (listener !== undefined) {
    // Whose it is may be hidden; a service that runs with this state folder has this port open.
    const isOurs = listener.isOurs || (listener.process === undefined && processUsing(state) !== undefined)
    if (isOurs) return ok('a Slotwire runs here', name)
    return failure(
      `taken by ${formatListener(listener)}`,
      `Stop that program (ss -ltnp 'sport = :${port}' shows it to root), or choose another port: ${choose}.`,
      name,
    )
  }
  const firstFree = await firstFreePort(roots.proc)
  if (port >= firstFree || user.uid === 0) return ok('free', name)
  const remedy = `AmbientCapabilities=CAP_NET_BIND_SERVICE in the service’s unit allows it, as does sysctl net.ipv4.ip_unprivileged_port_start=${port}; or choose another port: ${choose}.`
  return warning(`free, but ${user.name} needs leave to use ports below ${firstFree}`, remedy, name)
}
