import { existsSync, readdirSync } from 'node:fs'
import { type Clock, isRecord, orElse } from '@slotwire/core'
import { SERVICE_NAMES, SERVICE_PORTS } from '@slotwire/device/names'
import { plannedDoors, readSettingsFile, SETTINGS_FILE, type Settings } from '@slotwire/network'
import { answerInTime } from '../power/power-service.ts'
import type { ServiceStatus } from '../run/network-side.ts'
import { processUsing } from '../state/state-access.ts'
import { shellWord } from '../terminal/text.ts'
import {
  type Finding,
  failure,
  ok,
  type RunningService,
  type Service,
  type Subject,
  type Unit,
  type Units,
  warning,
} from './check.ts'
import { outputOf, readPageOrNothing } from './host.ts'

const LOOPBACK = '127.0.0.1'
const OWN = 'slotwire*.service'
const PROPERTIES = [
  ...['Id', 'LoadState', 'ActiveState', 'SubState', 'Result', 'NRestarts', 'UnitFileState', 'StatusText', 'ExecStart'],
  ...['WantedBy', 'RequiredBy', 'StateDirectory', 'AmbientCapabilities'],
]
/** `LISTEN 0 511 [::1]:8080 [::]:* users:(("node",pid=12,fd=20))` */
const SOCKET = /^LISTEN\s+\d+\s+\d+\s+\[?(?<address>\S+?)\]?:(?<port>\d+)\s+\S+(?:.*?\("(?<command>.*?)",pid=(?<pid>\d+))?/gm
/** How `ss` and the settings write "every address of this machine". */
const ANY_ADDRESS = ['*', '0.0.0.0', '::']
/** A service answers status requests from memory. */
export const ANSWER_DEADLINE_MS = 2000
const CAPABILITY = 'CAP_NET_BIND_SERVICE'
/** Names of the lines about doors. */
const LOCAL = 'loopback door'
const NETWORK = 'network door'
/** Slot states in which a module is not served although it should be. */
const NOT_SERVED = ['failed', 'hung', 'lost', 'incompatible']
/** Folders below `/etc` whose files may name the original services: those of nginx and avahi. */
const FOLDERS = ['nginx', 'nginx/conf.d', 'nginx/sites-enabled', 'avahi/services']
const NAMES = Object.keys(SERVICE_PORTS).join('|')
/** A port, a path, or the announced name of a service. */
const NAMES_A_SERVICE = new RegExp(`\\b(?:${Object.values(SERVICE_PORTS).join('|')}|(?:${NAMES})-module)\\b|/api/(?:${NAMES})\\b`)

/** Reports the units of this program, loaded or only installed. `run` is `/run`. Never rejects. */
export async function installedUnits(run: string): Promise<Units> {
  if (!existsSync(`${run}/systemd/system`)) return 'absent'
  try {
    const listed = await outputOf('systemctl', 'list-unit-files', '--full', '--plain', '--no-legend', OWN)
    // systemd has no state of a template.
    const installed = [...listed.matchAll(/^\S+(?<!@)\.service(?=\s)/gm)].map(([name]) => name)
    const units = await propertiesOf(PROPERTIES, OWN, ...installed)
    return [...new Map(units.map((unit) => [unit['Id'], unit])).values()].filter((unit) => unit['LoadState'] === 'loaded')
  } catch {
    return 'silent'
  }
}

/** Output of `systemctl show`: a block of lines for each unit. Rejects if systemd does not answer. */
export async function propertiesOf(names: readonly string[], ...units: readonly string[]): Promise<readonly Unit[]> {
  const shown = await outputOf('systemctl', 'show', `--property=${names.join(',')}`, '--', ...units)
  const blocks = shown.split('\n\n').map((block) => [...block.matchAll(/^(\w+)=(.*)$/gm)])
  const pairs = blocks.filter((lines) => lines.length > 0)
  return pairs.map((lines) => Object.fromEntries(lines.map(([, name = '', value = '']) => [name, value])))
}

/** The service of `slotwire.service`, if installed. */
export function serviceOf(units: Units): Service | undefined {
  const unit = typeof units === 'string' ? undefined : units.find((one) => one['Id'] === 'slotwire.service')
  if (unit === undefined) return undefined
  const port = /http:\/\/127\.0\.0\.1:(\d+)/.exec(unit['StatusText'] ?? '')?.[1]
  const state = `/var/lib/${unit['StateDirectory']?.split(' ')[0] ?? ''}`
  return { state, services: SERVICE_NAMES, port: port === undefined ? undefined : Number(port), unit }
}

/** Ignores units that neither run nor are enabled. */
export function checkUnits({ units }: Subject): Finding | readonly Finding[] {
  if (units === 'absent') return ok('systemd does not run here')
  if (units === 'silent') return warning('systemd does not answer', 'Check its state: systemctl status.')
  const used = units.filter((unit) => unit['UnitFileState']?.startsWith('enabled') === true || unit['ActiveState'] !== 'inactive')
  if (used.length === 0) return ok(units.length === 0 ? 'none is installed' : 'none runs, and none is enabled')
  return used.map(judgeUnit)
}

function judgeUnit(unit: Unit): Finding {
  const of = (name: string): string => unit[name] ?? ''
  const [id, active, enabled, restarts] = [of('Id'), of('ActiveState'), of('UnitFileState'), Number(of('NRestarts'))]
  const look = `See why: journalctl -u ${id} -n 50`
  const again = `restarted ${restarts === 1 ? 'once' : `${restarts} times`}`
  const users = [of('WantedBy'), of('RequiredBy')].filter(Boolean).join(' ')
  if (active === 'failed') return failure(`failed (${of('Result')})`, `${look}; then: systemctl restart ${id}.`, id)
  if (of('SubState') === 'auto-restart')
    return failure(`ended (${of('Result')}), waits for its next start, ${again} so far`, `${look}.`, id)
  if (restarts > 0 && active !== 'inactive')
    return warning(`${active}; it ended unexpectedly and was ${again}`, `${look}; systemctl restart ${id} resets the count.`, id)
  if (active !== 'active' || enabled !== 'disabled') return ok(`${active}, ${enabled}`, id)
  if (users !== '') return ok(`active, started for ${users}`, id)
  return warning('active, but not enabled', `Start it with the system: systemctl enable ${id}.`, id)
}

/** A listening TCP socket on this machine and its process, if this user may see it. */
type ListeningSocket = Partial<Record<'address' | 'port' | 'command' | 'pid', string>>

/** The listening sockets that `ss` reports. Rejects if it is not installed. */
async function listeningSockets(): Promise<readonly ListeningSocket[]> {
  const listed = await outputOf('ss', '--no-header', '--listening', '--tcp', '--numeric', '--processes')
  return [...listed.matchAll(SOCKET)].map(({ groups = {} }) => groups)
}

/** The socket that occupies this address and port, and who has it. Rejects if `ss` is not installed. */
async function socketAt(host: string, port: number) {
  const isSame = (address = ''): boolean => address === host || [address, host].some((one) => ANY_ADDRESS.includes(one))
  const socket = (await listeningSockets()).find((one) => Number(one.port) === port && isSame(one.address))
  // The process of a port is visible only to root and its own user.
  const { command = "another user's program", pid = 'unknown' } = socket ?? {}
  return socket === undefined ? undefined : { pid, user: `${command} (process ${pid})` }
}

/** The settings for the next start. A file with mistakes yields the defaults. */
function settingsOf({ state, port }: Service): Settings {
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
    return (await answerInTime(url, clock, ANSWER_DEADLINE_MS, 262_144).catch(() => undefined))?.text ?? ''
  }
  const [status, ready, metrics] = await Promise.all([ask('status'), ask('readyz'), ask('metrics')])
  const found = jsonIn(status)
  if (!isStatus(found)) return undefined
  const { status: readiness, message = 'no reason given' } = jsonIn(ready)
  const states = metrics.matchAll(/^slotwire_slot_state\{slot="(\d)",state="(\w+)"\} 1$/gm)
  const slotStates = Object.fromEntries([...states].map(([, slot = '', state = '']) => [slot, state]))
  return { ...found, port, notReady: readiness === 'success' ? undefined : String(message), slotStates }
}

/** Whether this is the answer of a Slotwire at `/slotwire/status`, not of another program. */
function isStatus(found: Partial<Record<keyof ServiceStatus, unknown>>): found is ServiceStatus {
  const lists = [found.services, found.networkDoors, found.missingDoors]
  return typeof found.pid === 'number' && typeof found.stateFolder === 'string' && lists.every(Array.isArray)
}

/** Empty for the answer of another program. */
function jsonIn(text: string): Readonly<Record<string, unknown>> {
  const body = orElse<unknown>(undefined, () => JSON.parse(text))
  return isRecord(body) ? body : {}
}

/** Judges the running service, or the process that uses its state folder. Throws for an unreadable lock. */
export function checkRunningService({ service }: Subject): Finding | readonly Finding[] {
  const { running, state, unit } = service
  if (running !== undefined) return judgeRunning(running, unit)
  const pid = processUsing(state)
  if (pid === undefined) return ok(`none with the state folder ${state}: the other checks apply to the next start`)
  const again = unit === undefined ? `kill -KILL ${pid}, then start it again` : `systemctl restart ${unit['Id'] ?? ''}`
  return failure(`process ${pid} uses ${state} and does not answer`, `If this does not change: ${again}.`)
}

function judgeRunning({ pid, hardware, notReady, slotStates, stateFolder }: RunningService, unit: Unit | undefined): Finding[] {
  const device = hardware === 'kernel' ? 'this device' : 'a virtual device'
  const who = `process ${pid} serves ${device}, state folder ${stateFolder}`
  const log = unit === undefined ? 'read its log, on standard error' : `journalctl -u ${unit['Id'] ?? ''} -n 50`
  const usable = Object.values(slotStates).filter((state) => state === 'usable').length
  const ready = ok(`${who}; ready, ${usable === 1 ? '1 module' : `${usable} modules`} can be used`)
  const wait = `Run this again in a minute. If it stays not ready, ${log}.`
  const troubles = Object.entries(slotStates).filter(([, state]) => NOT_SERVED.includes(state))
  const unserved = troubles.map(([slot, state]) => {
    const remedy = `See why: ${log}. If the failure stays, pull the module out of slot ${slot} and push it in again.`
    return failure(`the service cannot use the module (${state}) and keeps retrying`, remedy, `slot ${slot} as served`)
  })
  return [notReady === undefined ? ready : warning(`${who}; not ready: ${notReady}`, wait), ...unserved]
}

/** The open doors of the running service, or those of its settings. */
export async function checkDoors(subject: Subject): Promise<readonly Finding[]> {
  const { running } = subject.service
  if (running !== undefined) return judgeOpenDoors(running)
  const settings = settingsOf(subject.service)
  const doors = [
    { name: LOCAL, key: 'doors.port', host: LOOPBACK, port: settings.loopbackPort },
    ...settings.loopbackPorts.map((port) => ({ name: LOCAL, key: 'doors.loopback-ports', host: LOOPBACK, port })),
    ...plannedDoors(settings).map((door) => ({ name: NETWORK, key: `doors.${door.scheme}-port`, ...door })),
  ]
  const judged = await Promise.all(doors.map(async (door) => ({ ...(await judgeDoor(door, subject)), name: door.name })))
  if (judged.some(({ name }) => name === NETWORK)) return judged
  return [...judged, ok('closed unless the service is started with --listen', NETWORK)]
}

function judgeOpenDoors({ port: loopbackPort, networkDoors, missingDoors }: RunningService): readonly Finding[] {
  const urlOf = ({ scheme, host, port }: (typeof networkDoors)[number]): string =>
    `${scheme}://${host.includes(':') ? `[${host}]` : host}:${port}`
  const missing = missingDoors.map((door) => {
    const look = `ss -ltnp 'sport = :${door.port}'; ip address`
    const remedy = `The service retries every minute. See which process has the port, and the addresses of this machine: ${look}.`
    return failure(`cannot be opened (${door.reason}): ${urlOf(door)}`, remedy, NETWORK)
  })
  const network = [...networkDoors.map((door) => ok(`open: ${urlOf(door)}`, NETWORK)), ...missing]
  return [ok(`open: http://${LOOPBACK}:${loopbackPort}`, LOCAL), ...(network.length === 0 ? [ok('closed', NETWORK)] : network)]
}

/** Whether the next start can open a door. It never binds the port, not even briefly. */
async function judgeDoor(door: { key: string; host: string; port: number }, subject: Subject): Promise<Finding> {
  const { key, host, port } = door
  const { roots, user, service } = subject
  const at = `${host} port ${port}`
  if (port === 0) return ok(`will open at ${host}, on a free port`)
  const other = `choose another port: slotwire config set ${key} <number> --state ${shellWord(service.state)}`
  const socket = await socketAt(host, port).catch(() => null)
  if (socket === null)
    return warning(`${at}: cannot run ss to find the process that uses it`, 'Install it: apt-get install iproute2.')
  const stop = `Stop that program (as root, ss -ltnp 'sport = :${port}' shows it), or ${other}.`
  if (socket !== undefined) return failure(`${at} is taken by ${socket.user}`, stop)
  // Lower ports need a capability.
  const unprivileged = Number(readPageOrNothing(`${roots.proc}/sys/net/ipv4/ip_unprivileged_port_start`) || 1024)
  const capabilities = service.unit?.['AmbientCapabilities']?.toUpperCase().split(' ') ?? []
  if (port >= unprivileged || user.uid === 0 || capabilities.includes(CAPABILITY)) return ok(`will open at ${at}`)
  const remedy = `Give the unit AmbientCapabilities=${CAPABILITY}, or ${other}.`
  return warning(`${at} is free, but ${user.name} may not use ports below ${unprivileged}`, remedy)
}

/** What was set up for the original services: which programs have their ports, and which files lead to them. */
export async function checkOriginalServices({ roots, service }: Subject): Promise<readonly Finding[]> {
  const findings: Finding[] = []
  const { running } = service
  const ours = running === undefined ? [] : [running.port, ...settingsOf(service).loopbackPorts]
  for (const [name, port] of Object.entries(SERVICE_PORTS)) {
    const socket = await socketAt(LOOPBACK, port).catch(() => undefined)
    if (socket === undefined || ours.includes(port) || Number(socket.pid) === running?.pid) continue
    const look = `ss -ltnp 'sport = :${port}' shows it, systemctl status ${socket.pid} its unit`
    const remedy = `Stop it before Slotwire answers at this port (doors.loopback-ports): ${look}.`
    findings.push(warning(`port ${port} of the original ${name} service is used by ${socket.user}`, remedy))
  }
  const paths = FOLDERS.map((folder) => `${roots.etc}/${folder}`)
  const files = paths.flatMap((path) => orElse([], () => readdirSync(path).sort()).map((name) => `${path}/${name}`))
  const naming = files.filter((file) => NAMES_A_SERVICE.test(readPageOrNothing(file)))
  if (naming.length > 0) findings.push(ok(`named by ${naming.join(', ')}: see docs/guide/from-the-original.md`))
  return findings.length > 0 ? findings : [ok('none: no program has their ports, no file of nginx or avahi names them')]
}
