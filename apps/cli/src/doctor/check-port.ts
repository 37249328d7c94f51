import { get } from 'node:http'
import type { Clock } from '@slotwire/core'
import { type Check, type Finding, failure, ok } from './check.ts'
import { CONNECT_DEADLINE_MS, tryToConnect } from './connect.ts'
import { linesOf } from './files.ts'
import type { Installation } from './installation.ts'
import { formatListener, listenerAt } from './listeners.ts'
import { storedSettings } from './stored-settings.ts'

const LOOPBACK = '127.0.0.1'
/** Every Slotwire answers this, whatever state its modules are in. */
const LIVE_PATH = '/slotwire/livez'
const LIVE_ANSWER = '{"status":"success"}'
/** From here on ports are everybody's, unless the system says otherwise. */
const FIRST_FREE_PORT = 1024

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

/** Whether a Slotwire answers at a port of loopback. Never rejects. */
export function isOurPort(port: number, clock: Clock): Promise<boolean> {
  return new Promise((resolve) => {
    const request = get({ host: LOOPBACK, port, path: LIVE_PATH, agent: false })
    let text = ''
    const end = (isOurs: boolean): void => {
      timer.cancel()
      request.destroy()
      resolve(isOurs)
    }
    const timer = clock.after(CONNECT_DEADLINE_MS, () => end(false))
    request.on('error', () => end(false))
    request.on('response', (response) => {
      response.setEncoding('utf8')
      response.on('data', (part: string) => {
        text += part
        if (text.length > LIVE_ANSWER.length) end(false)
      })
      response.on('error', () => end(false))
      response.on('end', () => end(text === LIVE_ANSWER))
    })
  })
}

/** The first port that is not root's alone. */
export async function firstFreePort(proc: string): Promise<number> {
  const [text = ''] = await linesOf(`${proc}/sys/net/ipv4/ip_unprivileged_port_start`)
  return /^\d+$/.test(text) ? Number(text) : FIRST_FREE_PORT
}
