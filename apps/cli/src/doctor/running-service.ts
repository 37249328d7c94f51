import { type Clock, orElse } from '@slotwire/core'
import { readSettingsFile, SETTINGS_FILE, type Settings } from '@slotwire/network'
import { answerInTime } from '../power/power-service.ts'
import type { ServiceStatus } from '../run/network-side.ts'
import { processUsing } from '../state/state-access.ts'
import type { RunningService, Service } from './check.ts'
import { outputOf } from './host.ts'

export const LOOPBACK = '127.0.0.1'
/** `LISTEN 0 511 [::1]:8080 [::]:* users:(("node",pid=12,fd=20))` */
const SOCKET = /^LISTEN\s+\d+\s+\d+\s+\[?(?<address>\S+?)\]?:(?<port>\d+)\s+\S+(?:.*?\("(?<command>.*?)",pid=(?<pid>\d+))?/gm
/** How `ss` and the settings write "every address of this machine". */
const ANY_ADDRESS = ['*', '0.0.0.0', '::']
/** A service answers status requests from memory. */
export const ANSWER_DEADLINE_MS = 2000
const LONGEST_ANSWER = 262_144

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

/** The settings for the next start. A file with mistakes yields the defaults. */
export function settingsOf({ state, port }: Pick<Service, 'state' | 'port'>): Settings {
  const { settings } = readSettingsFile(state, SETTINGS_FILE)
  return port === undefined ? settings : { ...settings, loopbackPort: port }
}

/** Finds the process of a planned service and queries what it serves. */
export async function findService(planned: Service, clock: Clock): Promise<Service> {
  const pid = orElse(undefined, () => processUsing(planned.state))
  // It may answer at the configured port, and at those of the process that holds its state folder.
  const sockets = pid === undefined ? [] : await listeningSockets().catch(() => [])
  const own = sockets.filter((socket) => socket.address === LOOPBACK && Number(socket.pid) === pid)
  for (const port of new Set([settingsOf(planned).loopbackPort, ...own.map((socket) => Number(socket.port))])) {
    const running = port === 0 ? undefined : await askService(port, clock)
    if (running === undefined || (planned.isStateTyped === true && running.stateFolder !== planned.state)) continue
    return { ...planned, running, pid: running.pid, state: running.stateFolder, services: running.services }
  }
  return { ...planned, pid }
}

/** Undefined: no Slotwire answers at this loopback port. */
async function askService(port: number, clock: Clock): Promise<RunningService | undefined> {
  const ask = async (name: string): Promise<string> => {
    const url = `http://${LOOPBACK}:${port}/slotwire/${name}`
    return (await answerInTime(url, clock, ANSWER_DEADLINE_MS, LONGEST_ANSWER).catch(() => undefined))?.text ?? ''
  }
  const [status, ready, metrics] = await Promise.all([ask('status'), ask('readyz'), ask('metrics')])
  const found = jsonIn(status)
  if (!isStatus(found)) return undefined
  const { status: readiness, message = 'no reason given' } = jsonIn(ready)
  const states = metrics.matchAll(/^slotwire_slot_state\{slot="(\d)",state="(\w+)"\} 1$/gm)
  return {
    ...found,
    port,
    notReady: readiness === 'success' ? undefined : String(message),
    slotStates: Object.fromEntries([...states].map(([, slot = '', state = '']) => [slot, state])),
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
