import { orElse } from '@slotwire/core'
import { SERVICE_PORTS } from '@slotwire/device/names'
import { type PlannedDoor, plannedDoors } from '@slotwire/network'
import { readBytes } from '@slotwire/storage'
import { processUsing } from '../state/state-access.ts'
import { counted, shellWord } from '../terminal/text.ts'
import { type Finding, type Findings, failure, ok, warning } from './check.ts'
import * as host from './host.ts'

/** How `ss` and the settings write "every address of this machine". */
const ANY_ADDRESS = ['*', '0.0.0.0', '::']
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

/** Ignores units that neither run nor are enabled. */
export function checkUnits({ systemd, units }: host.Subject): Findings {
  if (systemd === 'absent') return ok('systemd does not run here')
  if (systemd === 'silent') return warning('systemd does not answer', 'Check its state: systemctl status.')
  const used = units.filter((unit) => unit['UnitFileState']?.startsWith('enabled') === true || unit['ActiveState'] !== 'inactive')
  if (used.length === 0) return ok(units.length === 0 ? 'none is installed' : 'none runs, and none is enabled')
  return used.map(judgeUnit)
}

function judgeUnit(unit: host.SystemdUnit): Finding {
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
function socketAt(address: string, port: number, sockets: host.Subject['sockets']) {
  const isSame = (other: string): boolean => other === address || [address, other].some((one) => ANY_ADDRESS.includes(one))
  return sockets?.find((one) => one.port === port && isSame(one.address))
}

/** Judges the running service, or the process that uses its state folder. Throws for an unreadable lock. */
export function checkRunningService({ service: { running, state, unit } }: host.Subject): Findings {
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
export function checkDoors(subject: host.Subject): Findings {
  const { running } = subject.service
  const doors = running === undefined ? plannedDoorsOf(subject) : openDoorsOf(running)
  const closed = running === undefined ? 'closed unless the service is started with --listen' : 'closed'
  return doors.some(({ name }) => name === NETWORK) ? doors : [...doors, ok(closed, NETWORK)]
}

const urlOf = ({ scheme, host: at, port }: PlannedDoor): string => `${scheme}://${at.includes(':') ? `[${at}]` : at}:${port}`

function openDoorsOf({ port, networkDoors, missingDoors }: NonNullable<host.CheckedService['running']>): readonly Finding[] {
  const missing = missingDoors.map((door) => {
    const look = `ss -ltnp 'sport = :${door.port}'; ip address`
    const remedy = `The service retries every minute. See which process has the port, and the addresses of this machine: ${look}.`
    return failure(`cannot be opened (${door.reason}): ${urlOf(door)}`, remedy, NETWORK)
  })
  const open = networkDoors.map((door) => ok(`open: ${urlOf(door)}`, NETWORK))
  return [ok(`open: http://${host.LOOPBACK}:${port}`, LOCAL), ...open, ...missing]
}

function plannedDoorsOf(subject: host.Subject): readonly Finding[] {
  const settings = host.settingsOf(subject.service)
  return [
    judgeDoor(LOCAL, 'port', { host: host.LOOPBACK, port: settings.loopbackPort }, subject),
    ...settings.loopbackPorts.map((port) => judgeDoor(LOCAL, 'loopback-ports', { host: host.LOOPBACK, port }, subject)),
    ...plannedDoors(settings).map((door) => judgeDoor(NETWORK, `${door.scheme}-port`, door, subject)),
  ]
}

/** Whether the next start can open a door. It never binds the port, not even briefly. */
function judgeDoor(name: string, key: string, door: Pick<PlannedDoor, 'host' | 'port'>, subject: host.Subject): Finding {
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
export function checkOriginalServices({ roots, service, sockets }: host.Subject): Findings {
  const { running } = service
  const ours = running === undefined ? [] : [running.port, ...host.settingsOf(service).loopbackPorts]
  const portWarnings = Object.entries(SERVICE_PORTS).flatMap(([name, port]) => {
    const socket = ours.includes(port) ? undefined : socketAt(host.LOOPBACK, port, sockets)
    if (socket === undefined || Number(socket.pid) === running?.pid) return []
    const look = `ss -ltnp 'sport = :${port}' shows it, systemctl status ${socket.pid} its unit`
    const remedy = `Stop it before Slotwire answers at this port (doors.loopback-ports): ${look}.`
    return [warning(`port ${port} of the original ${name} service is used by ${socket.user}`, remedy)]
  })
  const folders = FOLDERS.map((folder) => `${roots.etc}/${folder}`)
  const files = folders.flatMap((folder) => host.namesIn(folder).map((name) => `${folder}/${name}`))
  // Anything may be in these folders, also a pipe that would block its reader.
  const naming = files.filter((file) => NAMES_A_SERVICE.test(orElse('', () => readBytes(file)?.toString() ?? '')))
  if (naming.length > 0) return [...portWarnings, ok(`named by ${naming.join(', ')}: see docs/guide/from-the-original.md`)]
  return portWarnings.length > 0 ? portWarnings : ok('none: no program has their ports, no file of nginx or avahi names them')
}
