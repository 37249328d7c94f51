import type { Clock } from '@slotwire/core'
import { type Check, type Finding, failure, ok, warning } from './check.ts'
import { tryToConnect } from './connect.ts'
import type { Installation } from './installation.ts'
import { formatListener, listenerAt } from './listeners.ts'
import { isOurPort } from './own-port.ts'
import { missingLeave } from './privileged-ports.ts'
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
  const { state } = installation
  const port = installation.port ?? storedSettings(state).loopbackPort
  const name = `port ${port}`
  if (port === 0) return ok('any free one is picked', 'port')
  const listener = await listenerAt(installation, port)
  const isTaken = listener !== undefined || (await tryToConnect({ host: LOOPBACK, port }, clock)) === 'accepted'
  if (!isTaken) {
    const missing = await missingLeave(installation, port)
    if (missing === undefined) return ok('free', name)
    return warning(missing.found, `${missing.remedy}; or choose another port with --port <number>.`, name)
  }
  if (listener?.isOurs === true || (await isOurPort(port, clock))) return ok('a Slotwire runs here', name)
  const who = listener === undefined ? 'a program' : formatListener(listener)
  return failure(
    `taken by ${who}`,
    `Stop that program (ss -ltnp 'sport = :${port}' shows it to root), or choose another port with --port <number>.`,
    name,
  )
}
