import type { Clock } from '@slotwire/core'
import { type Check, type Finding, ok, warning } from '../check.ts'
import { tryToConnect } from '../host/connect.ts'
import { isThere } from '../host/files.ts'
import { isUdpPortUsed } from '../host/listeners.ts'
import type { Installation } from '../installation.ts'
import { settingsOf } from '../settings-of.ts'
import { setting } from '../slotwire-commands.ts'

const MDNS_PORT = 5353

export const discoveryCheck: Check = {
  name: 'discovery',
  group: 'Ports',
  isForHardware: false,
  isPerService: true,
  subject: ({ roots }) => `${roots.run}/avahi-daemon/socket, port ${MDNS_PORT}`,
  run: async (installation, clock) => [await judge(installation, clock)],
}

async function judge(installation: Installation, clock: Clock): Promise<Finding> {
  const { roots } = installation
  const { listen, discovery } = settingsOf(installation)
  if (listen.length === 0 || discovery === 'off')
    return ok('the device is not announced: its network door is closed, or discovery is off')
  const socket = `${roots.run}/avahi-daemon/socket`
  const isUsed = await isUdpPortUsed(roots.proc, MDNS_PORT)
  if (!(await isThere(socket))) {
    if (discovery === 'avahi')
      return warning(
        'avahi does not run',
        `Start it: systemctl enable --now avahi-daemon, or announce without it: ${setting('discovery', installation)}.`,
      )
    return ok(isUsed ? `port ${MDNS_PORT} is shared with another program` : 'by this service itself')
  }
  const outcome = await tryToConnect({ path: socket }, clock)
  if (outcome === 'accepted') return ok('avahi announces the device')
  return warning(`avahi does not answer (${outcome})`, 'Start it anew: systemctl restart avahi-daemon.')
}
