import type { Clock } from '@slotwire/core'
import { type Check, type Finding, failure, ok } from './check.ts'
import { tryToConnect } from './connect.ts'
import type { Installation } from './installation.ts'
import { formatListener, listenerAt } from './listeners.ts'
import { isOurPort } from './own-port.ts'
import { firstFreePort } from './privileged-ports.ts'
import { storedSettings } from './stored-settings.ts'

const LOOPBACK = '127.0.0.1'

export const portCheck: Check = {
  name: 'port',
  group: 'Ports',
  isForHardware: false,
  subject: (installation) => `port ${installation.port ?? 'of the settings'} of loopback`,
  run: async (installation, clock) => [await judge(installation, clock)],
}

async function judge(installation: Installation, clock: Clock): Promise<Finding> {
  const { roots, user, state } = installation
  const port = installation.port ?? storedSettings(state).loopbackPort
  const name = `port ${port}`
  if (port === 0) return ok('any free one is picked', 'port')
  const firstFree = await firstFreePort(roots.proc)
  if (port < firstFree && user.uid !== 0) {
    return failure(
      `only root may use ports below ${firstFree}`,
      'Choose another: slotwire serve --port <number>, or slotwire config set loopback-port <number>.',
      name,
    )
  }
  const listener = await listenerAt(installation, port)
  const isTaken = listener !== undefined || (await tryToConnect({ host: LOOPBACK, port }, clock)) === 'accepted'
  if (!isTaken) return ok('free', name)
  if (listener?.isOurs === true || (await isOurPort(port, clock))) return ok('a Slotwire runs here', name)
  const who = listener === undefined ? 'a program' : formatListener(listener)
  return failure(
    `taken by ${who}`,
    `Stop that program (ss -ltnp 'sport = :${port}' shows it to root), or choose another port with --port <number>.`,
    name,
  )
}
