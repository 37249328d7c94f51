import { existsSync } from 'node:fs'
import { type Clock, isRecord, orElse } from '@slotwire/core'
import { SERVICE_NAMES, SERVICE_PORTS } from '@slotwire/device/names'
import { type PlannedDoor, plannedDoors, readSettingsFile, SETTINGS_FILE, type Settings } from '@slotwire/network'
import { getText } from '../client/get-text.ts'
import type { ServiceStatus } from '../run/network-side.ts'
import { processUsing } from '../state/state-access.ts'
import { counted, shellWord } from '../terminal/text.ts'
import type { CheckedService, Finding, Findings, Subject, SystemdUnit } from './check.ts'
import { failure, ok, warning } from './check.ts'
import * as host from './host.ts'

const LOOPBACK = '127.0.0.1'
const OWN = 'slotwire*.service'
/** How `ss` and the settings write "every address of this machine". */
const ANY_ADDRESS = ['*', '0.0.0.0', '::']
/** A service answers status requests from memory. */
export const ANSWER_DEADLINE_MS = 2000
const CAPABILITY = 'CAP_NET_BIND_SERVICE'
/** Names of the lines about doors. */
const [LOCAL, NETWORK] = ['loopback door', 'network door']
/** Slot states in which a module is not served although it should be. */
const NOT_SERVED = ['failed', 'hung', 'lost', 'incompatible']
/** Folders below `/etc` whose files may name the original services: those of nginx and avahi. */
const FOLDERS = ['nginx', 'nginx/conf.d', 'nginx/sites-enabled', 'avahi/services']
const NAMES = Object.keys(SERVICE_PORTS).join('|')
/** A port, a path, or the announced name of a service. */
const NAMES_A_SERVICE = new RegExp(`\\b(?:${Object.values(SERVICE_PORTS).join('|')}|(?:${NAMES})-module)\\b|/api/(?:${NAMES})\\b`)

/** Whether systemd runs and answers, and our units, loaded or only installed. `run` is `/run`. Never rejects. */
export async function installedUnits(run: string): Promise<Pick<Subject, 'systemd' | 'units'>> {
  if (!existsSync(`${run}/systemd/system`)) return { systemd: 'absent', units: [] }
  try {
    const listed = await host.outputOf('systemctl', 'list-unit-files', '--full', '--plain', '--no-legend', OWN)
    // systemd has no state of a template.
    const installed = [...listed.matchAll(/^\S+(?<!@)\.service(?=\s)/gm)].map(([name]) => name)
    const units = new Map((await shownUnits(OWN, ...installed)).map((unit) => [unit['Id'], unit]))
    return { systemd: 'answers', units: [...units.values()].filter((unit) => unit['LoadState'] === 'loaded') }
  } catch {
    return { systemd: 'silent', units: [] }
  }
}

/** The properties of units, from a block of lines for each. Rejects if systemd does not answer. */
export async function shownUnits(...names: readonly string[]): Promise<readonly SystemdUnit[]> {
  const blocks = (await host.outputOf('systemctl', 'show', '--', ...names)).split('\n\n')
  const lines = blocks.map((block) => [...block.matchAll(/^(\w+)=(.*)$/gm)])
  return lines.map((pairs) => Object.fromEntries(pairs.map(([, name = '', value = '']) => [name, value])))
}

/** The service of `slotwire.service`, if installed. */
export function serviceOf(units: readonly SystemdUnit[]): CheckedService | undefined {
  const unit = units.find((one) => one['Id'] === 'slotwire.service')
  if (unit === undefined) return undefined
  const port = /http:\/\/127\.0\.0\.1:(\d+)/.exec(unit['StatusText'] ?? '')?.[1]
  const state = `/var/lib/${unit['StateDirectory']?.split(' ')[0] ?? ''}`
  return { state, services: SERVICE_NAMES, port: port === undefined ? undefined : Number(port), unit }
}

/** Ignores units that neither run nor are enabled. */
export function checkUnits({ systemd, units }: Subject): Findings {
  if (systemd === 'absent') return ok('systemd does not run here')
  if (systemd === 'silent') return warning('systemd does not answer', 'Check its state: systemctl status.')
  const used = units.filter((unit) => unit['UnitFileState']?.startsWith('enabled') === true || unit['ActiveState'] !== 'inactive')
  if (used.length === 0) return ok(units.length === 0 ? 'none is installed' : 'none runs, and none is enabled')
  return used.map(judgeUnit)
}

function judgeUnit(unit: SystemdUnit): Finding {
  const of = (name: string): string => unit[name] ?? ''
  const [id, active, enabled, restarts] = [of('Id'), of('ActiveState'), of('UnitFileState'), Number(of('NRestarts'))]
  const look = `See why: journalctl -u ${id} -n 50`
  const again = `restarted ${restarts === 1 ? 'once' : `${restarts} times`}`
  const users = `${of('WantedBy')} ${of('RequiredBy')}`.trim()
  if (active === 'failed') return failure(`failed (${of('Result')})`, `${look}; then: systemctl restart ${id}.`, id)
  if (of('SubState') === 'auto-restart')
    return failure(`ended (${of('Result')}), waits for its next start, ${again} so far`, `${look}.`, id)
  if (restarts > 0 && active !== 'inactive')
    return warning(`${active}; it ended unexpectedly and was ${again}`, `${look}; systemctl restart ${id} resets the count.`, id)
  if (active !== 'active' || enabled !== 'disabled') return ok(`${active}, ${enabled}`, id)
  if (users !== '') return ok(`active, started for ${users}`, id)
  return warning('active, but not enabled', `Start it with the system: systemctl enable ${id}.`, id)
}

/** The socket that occupies this address and port, and who has it. */
function socketAt(address: string, port: number, sockets: Subject['sockets']) {
  const isSame = (other: string): boolean => other === address || [address, other].some((one) => ANY_ADDRESS.includes(one))
  const socket = sockets?.find((one) => one.port === port && isSame(one.address))
  // The process of a port is visible only to root and its own user.
  const { command = "another user's program", pid = 'unknown' } = socket ?? {}
  return socket && { pid, user: `${command} (process ${pid})` }
}

/** The settings for the next start. A file with mistakes yields the defaults. */
function settingsOf({ state, port }: CheckedService): Settings {
  const { settings } = readSettingsFile(state, SETTINGS_FILE)
  return port === undefined ? settings : { ...settings, loopbackPort: port }
}

/** Finds the process of a planned service and queries what it serves. */
export async function findService(planned: CheckedService, subject: Pick<Subject, 'sockets' | 'clock'>): Promise<CheckedService> {
  const { sockets = [], clock } = subject
  const pid = orElse(undefined, () => processUsing(planned.state))
  // It may answer at the configured port, and at those of the process that holds its state folder.
  const own = sockets.filter((socket) => socket.address === LOOPBACK && Number(socket.pid) === pid)
  for (const port of new Set([settingsOf(planned).loopbackPort, ...own.map((socket) => socket.port)])) {
    const running = port === 0 ? undefined : await askService(port, clock)
    if (running !== undefined && (planned.isStateTyped !== true || running.stateFolder === planned.state))
      return { ...planned, running, pid: running.pid, state: running.stateFolder, services: running.services }
  }
  return { ...planned, pid }
}

/** Undefined: no Slotwire answers at this loopback port, but another program, or none. */
async function askService(port: number, clock: Clock): Promise<CheckedService['running']> {
  const ask = async (name: string): Promise<string> => {
    const url = `http://${LOOPBACK}:${port}/slotwire/${name}`
    const bounds = { clock, deadlineMs: ANSWER_DEADLINE_MS, maxBytes: 262_144 }
    return (await getText(url, bounds).catch(() => undefined))?.text ?? ''
  }
  const [status = {}, ready = {}] = (await Promise.all([ask('status'), ask('readyz')])).map(valuesIn)
  const metrics = await ask('metrics')
  if (!isStatus(status)) return undefined
  const { message = 'no reason given' } = ready
  const notReady = ready['status'] === 'success' ? undefined : String(message)
  const states = metrics.matchAll(/^slotwire_slot_state\{slot="(\d)",state="(\w+)"\} 1$/gm)
  const slotStates = Object.fromEntries([...states].map(([, slot = '', state = '']) => [slot, state]))
  return { ...status, port, notReady, slotStates }
}

/** The values of a JSON object; none for the answer of another program. */
function valuesIn(text: string): Partial<Record<string, unknown>> {
  const body = orElse<unknown>(undefined, () => JSON.parse(text))
  return isRecord(body) ? body : {}
}

function isStatus(values: Partial<Record<keyof ServiceStatus, unknown>>): values is ServiceStatus {
  const lists = [values.services, values.networkDoors, values.missingDoors]
  return typeof values.pid === 'number' && typeof values.stateFolder === 'string' && lists.every(Array.isArray)
}

/** Judges the running service, or the process that uses its state folder. Throws for an unreadable lock. */
export function checkRunningService({ service: { running, state, unit } }: Subject): Findings {
  const id = unit?.['Id']
  if (running === undefined) {
    const pid = processUsing(state)
    if (pid === undefined) return ok(`none with the state folder ${state}: the other checks apply to the next start`)
    const again = id === undefined ? `kill -KILL ${pid}, then start it again` : `systemctl restart ${id}`
    return failure(`process ${pid} uses ${state} and does not answer`, `If this does not change: ${again}.`)
  }
  const { pid, hardware, notReady, slotStates, stateFolder } = running
  const who = `process ${pid} serves ${hardware === 'kernel' ? 'this' : 'a virtual'} device, state folder ${stateFolder}`
  const log = id === undefined ? 'read its log, on standard error' : `journalctl -u ${id} -n 50`
  const usable = Object.values(slotStates).filter((one) => one === 'usable').length
  const ready = ok(`${who}; ready, ${counted(usable, 'module')} can be used`)
  const wait = `Run this again in a minute. If it stays not ready, ${log}.`
  const troubles = Object.entries(slotStates).filter(([, one]) => NOT_SERVED.includes(one))
  const unserved = troubles.map(([slot, trouble]) => {
    const remedy = `See why: ${log}. If the failure stays, pull the module out of slot ${slot} and push it in again.`
    return failure(`the service cannot use the module (${trouble}) and keeps retrying`, remedy, `slot ${slot} as served`)
  })
  return [notReady === undefined ? ready : warning(`${who}; not ready: ${notReady}`, wait), ...unserved]
}

/** The open doors of the running service, or those of its settings. */
export function checkDoors(subject: Subject): Findings {
  const { running } = subject.service
  const doors = running === undefined ? plannedDoorsOf(subject) : openDoorsOf(running)
  const closed = running === undefined ? 'closed unless the service is started with --listen' : 'closed'
  return doors.some(({ name }) => name === NETWORK) ? doors : [...doors, ok(closed, NETWORK)]
}

const urlOf = ({ scheme, host: at, port }: PlannedDoor): string => `${scheme}://${at.includes(':') ? `[${at}]` : at}:${port}`

function openDoorsOf({ port, networkDoors, missingDoors }: NonNullable<CheckedService['running']>): readonly Finding[] {
  const missing = missingDoors.map((door) => {
    const look = `ss -ltnp 'sport = :${door.port}'; ip address`
    const remedy = `The service retries every minute. See which process has the port, and the addresses of this machine: ${look}.`
    return failure(`cannot be opened (${door.reason}): ${urlOf(door)}`, remedy, NETWORK)
  })
  const open = networkDoors.map((door) => ok(`open: ${urlOf(door)}`, NETWORK))
  return [ok(`open: http://${LOOPBACK}:${port}`, LOCAL), ...open, ...missing]
}

function plannedDoorsOf(subject: Subject): readonly Finding[] {
  const settings = settingsOf(subject.service)
  const loopback = (key: string, port: number): Finding => judgeDoor(LOCAL, key, { host: LOOPBACK, port }, subject)
  return [
    loopback('port', settings.loopbackPort),
    ...settings.loopbackPorts.map((port) => loopback('loopback-ports', port)),
    ...plannedDoors(settings).map((door) => judgeDoor(NETWORK, `${door.scheme}-port`, door, subject)),
  ]
}

/** Whether the next start can open a door. It never binds the port, not even briefly. */
function judgeDoor(name: string, key: string, door: Pick<PlannedDoor, 'host' | 'port'>, subject: Subject): Finding {
  const { roots, user, service, sockets } = subject
  const { host: address, port } = door
  const at = `${address} port ${port}`
  if (port === 0) return ok(`will open at ${address}, on a free port`, name)
  const missing = `${at}: cannot run ss to find the process that uses it`
  if (sockets === undefined) return warning(missing, 'Install it: apt-get install iproute2.', name)
  const socket = socketAt(address, port, sockets)
  const other = `choose another port: slotwire config set doors.${key} <number> --state ${shellWord(service.state)}`
  const stop = `Stop that program (as root, ss -ltnp 'sport = :${port}' shows it), or ${other}.`
  if (socket !== undefined) return failure(`${at} is taken by ${socket.user}`, stop, name)
  // Lower ports need a capability.
  const lowest = Number(host.readPageOrNothing(`${roots.proc}/sys/net/ipv4/ip_unprivileged_port_start`) || 1024)
  const capabilities = service.unit?.['AmbientCapabilities']?.toUpperCase().split(' ')
  if (port >= lowest || user.uid === 0 || capabilities?.includes(CAPABILITY) === true) return ok(`will open at ${at}`, name)
  const found = `${at} is free, but ${user.name} may not use ports below ${lowest}`
  return warning(found, `Give the unit AmbientCapabilities=${CAPABILITY}, or ${other}.`, name)
}

/** What was set up for the original services: which programs have their ports, and which files lead to them. */
export function checkOriginalServices({ roots, service, sockets }: Subject): Findings {
  const { running } = service
  const ours = running === undefined ? [] : [running.port, ...settingsOf(service).loopbackPorts]
  const portWarnings = Object.entries(SERVICE_PORTS).flatMap(([name, port]) => {
    const socket = ours.includes(port) ? undefined : socketAt(LOOPBACK, port, sockets)
    if (socket === undefined || Number(socket.pid) === running?.pid) return []
    const look = `ss -ltnp 'sport = :${port}' shows it, systemctl status ${socket.pid} its unit`
    const remedy = `Stop it before Slotwire answers at this port (doors.loopback-ports): ${look}.`
    return [warning(`port ${port} of the original ${name} service is used by ${socket.user}`, remedy)]
  })
  const folders = FOLDERS.map((folder) => `${roots.etc}/${folder}`)
  const files = folders.flatMap((folder) => host.namesIn(folder).map((name) => `${folder}/${name}`))
  const naming = files.filter((file) => NAMES_A_SERVICE.test(host.readPageOrNothing(file)))
  if (naming.length > 0) return [...portWarnings, ok(`named by ${naming.join(', ')}: see docs/guide/from-the-original.md`)]
  return portWarnings.length > 0 ? portWarnings : ok('none: no program has their ports, no file of nginx or avahi names them')
}
