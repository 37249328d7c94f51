import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { text as textOf } from 'node:stream/consumers'
import { type Clock, orElse } from '@slotwire/core'
import { readSettingsFile, SETTINGS_FILE, type Settings } from '@slotwire/network'
import type { ServiceStatus } from '../run/network-side.ts'
import { processUsing } from '../state/state-lock.ts'
import { UsageError } from '../terminal/usage-error.ts'
import { outputOf } from './host.ts'
import type { PlannedService, RunningService, Service } from './subject.ts'

export const LOOPBACK = '127.0.0.1'
/** `LISTEN 0 511 [::1]:8080 [::]:* users:(("node",pid=12,fd=20))` */
const SOCKET = /^LISTEN\s+\d+\s+\d+\s+\[?(?<address>\S+?)\]?:(?<port>\d+)\s+\S+(?:.*?\("(?<command>.*?)",pid=(?<pid>\d+))?/gm
/** How `ss` and the settings write "every address of this machine". */
const ANY_ADDRESS = ['*', '0.0.0.0', '::']
/** A service answers status requests from memory. */
export const ANSWER_DEADLINE_MS = 2000

/** A listening TCP socket on this machine and its process, if this user may see it. */
type ListeningSocket = Partial<Record<'address' | 'port' | 'command' | 'pid', string>>

/** The listening sockets that `ss` reports. Rejects if it is not installed. */
async function listeningSockets(): Promise<readonly ListeningSocket[]> {
  const listed = await outputOf('ss', '--no-header', '--listening', '--tcp', '--numeric', '--processes')
  return [...listed.matchAll(SOCKET)].map(({ groups = {} }) => groups)
}

/** The socket that occupies this address and port. Rejects if `ss` is not installed. */
export async function socketAt(host: string, port: number): Promise<ListeningSocket | undefined> {
  const isSame = (address = ''): boolean => address === host || [address, host].some((one) => ANY_ADDRESS.includes(one))
  return (await listeningSockets()).find((socket) => Number(socket.port) === port && isSame(socket.address))
}

/** Finds the process of a planned service and queries what it serves. */
export async function findService(planned: PlannedService, clock: Clock): Promise<Service> {
  const { pid, lockFault } = holderOf(planned.state)
  for (const port of await portsOf(planned, pid)) {
    const running = await askService(port, clock)
    if (running === undefined || (planned.isStateTyped === true && running.stateFolder !== planned.state)) continue
    return { ...planned, running, pid: running.pid, state: running.stateFolder, services: running.services }
  }
  return { ...planned, pid, lockFault }
}

function holderOf(state: string): Pick<Service, 'pid' | 'lockFault'> {
  try {
    return { pid: processUsing(state) }
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    return { lockFault: error.message }
  }
}

/** Ports where the service may answer: the configured one, and those of the process that holds its state folder. */
async function portsOf(planned: PlannedService, pid: number | undefined): Promise<readonly number[]> {
  const sockets = pid === undefined ? [] : await listeningSockets().catch(() => [])
  const own = sockets.filter((socket) => socket.address === LOOPBACK && Number(socket.pid) === pid)
  return [...new Set([settingsOf(planned).loopbackPort, ...own.map(({ port }) => Number(port))])].filter((port) => port > 0)
}

/** The settings for the next start. A file with mistakes yields the defaults. */
export function settingsOf({ state, port }: Pick<PlannedService, 'state' | 'port'>): Settings {
  const { settings } = readSettingsFile(state, SETTINGS_FILE)
  return port === undefined ? settings : { ...settings, loopbackPort: port }
}

/** Undefined: no Slotwire answers at this loopback port. */
async function askService(port: number, clock: Clock): Promise<RunningService | undefined> {
  const [status = '', ready = '', metrics = ''] = await Promise.all(
    ['status', 'readyz', 'metrics'].map((name) => answerAt(port, `/slotwire/${name}`, clock)),
  )
  const found = jsonIn(status)
  if (!isStatus(found)) return undefined
  const { status: readiness, message = 'no reason given' } = jsonIn(ready)
  const states = metrics.matchAll(/^slotwire_slot_state\{slot="(\d)",state="(\w+)"\} 1$/gm)
  return {
    ...found,
    port,
    notReady: readiness === 'success' ? undefined : String(message),
    slots: Object.fromEntries([...states].map(([, slot = '', state = '']) => [slot, state])),
  }
}

/** Whether this is the answer of a Slotwire at `/slotwire/status`, not of another program. */
function isStatus(found: Partial<Record<keyof ServiceStatus, unknown>>): found is ServiceStatus {
  const lists = [found.services, found.networkDoors, found.missingDoors]
  return typeof found.pid === 'number' && typeof found.stateFolder === 'string' && lists.every(Array.isArray)
}

/** Empty for the answer of another program. */
function jsonIn(text: string): Readonly<Record<string, unknown>> {
  const body: unknown = orElse(undefined, () => JSON.parse(text) as unknown)
  return typeof body === 'object' && body !== null ? { ...body } : {}
}

/** The body of a response. Undefined if none comes in time. Never rejects. */
async function answerAt(port: number, path: string, clock: Clock): Promise<string | undefined> {
  const late = new AbortController()
  const timer = clock.after(ANSWER_DEADLINE_MS, () => late.abort())
  try {
    const request = get({ host: LOOPBACK, port, path, agent: false, signal: late.signal })
    const [response] = (await once(request, 'response')) as [IncomingMessage]
    // From here on, reading the text reports failures.
    request.on('error', () => undefined)
    return await textOf(response)
  } catch {
    return undefined
  } finally {
    timer.cancel()
  }
}
