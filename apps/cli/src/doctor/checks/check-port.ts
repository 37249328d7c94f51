import type { Clock } from '@slotwire/core'
import { type Check, type Finding, failure, ok, warning } from '../check.ts'
import { tryToConnect } from '../host/connect.ts'
import { formatListener, listenerAt } from '../host/listeners.ts'
import type { Installation } from '../installation.ts'
import { missingLeave } from '../privileged-ports.ts'
import { settingsOf } from '../settings-of.ts'
import { isOurPort } from '../slotwire-answer.ts'
import { servingWith, setting } from '../slotwire-commands.ts'

const LOOPBACK = '127.0.0.1'

export const portCheck: Check = {
  name: 'port',
  group: 'Ports',
  isForHardware: false,
  isPerService: true,
  subject: () => 'the port for this machine',
  run: async (installation, clock) => [await judge(installation, clock)],
}

async function judge(installation: Installation, clock: Clock): Promise<Finding> {
  const port = settingsOf(installation).loopbackPort
  const name = `port ${port}`
  const choose = `${servingWith('--port <number>', installation)}, or ${setting('doors.loopback-port', installation)}`
  if (port === 0) return ok('any free one is picked', 'port')
  const listener = await listenerAt(installation, port)
  const isTaken = listener !== undefined || (await tryToConnect({ host: LOOPBACK, port }, clock)) === 'accepted'
  if (!isTaken) {
    const missing = await missingLeave(installation, port)
    if (missing === undefined) return ok('free', name)
    return warning(missing.found, `${missing.remedy}; or choose another port: ${choose}.`, name)
  }
  if (listener?.isOurs === true || (await isOurPort(port, clock))) return ok('a Slotwire runs here', name)
  const who = listener === undefined ? 'a program' : formatListener(listener)
  return failure(
    `taken by ${who}`,
    `Stop that program (ss -ltnp 'sport = :${port}' shows it to root), or choose another port: ${choose}.`,
    name,
  )
}
