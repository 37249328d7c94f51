import { plannedDoors } from '@slotwire/network'
import { shellWord } from '../terminal/shell-word.ts'
import { type Finding, failure, ok, perService, warning } from './check.ts'
import { readPageOrNothing } from './host.ts'
import { LOOPBACK, settingsOf, socketAt } from './running-service.ts'
import type { RunningService, Service, Subject } from './subject.ts'

/** Lower ports need a capability by default. */
const FIRST_FREE_PORT = 1024
const CAPABILITY = 'CAP_NET_BIND_SERVICE'
/** Names of the lines about doors. */
const LOCAL = 'loopback door'
const NETWORK = 'network door'

/** Slot states in which a module is not served although it should be. */
const NOT_SERVED = ['failed', 'hung', 'lost', 'incompatible']

/** Queries a running service. Examines files and settings only if none runs. */
export const runningServiceCheck = perService(
  'running service',
  'Service',
  () => '/slotwire/status, readyz and metrics of the service',
  (service, { user }) => {
    const { running, pid, lockFault, state } = service
    if (running !== undefined) return [judgeRunning(service, running), ...slotTroubles(service, running)]
    const lock = shellWord(`${state}/lock`)
    if (lockFault !== undefined) return [failure(lockFault, `Examine it as root or as ${user.name}: ls -ld ${lock}.`)]
    if (pid === undefined) return [ok(`none with the state folder ${state}: the other checks apply to the next start`)]
    const again = service.unit === undefined ? `kill -KILL ${pid}, then start it again` : `systemctl restart ${service.name}`
    return [failure(`process ${pid} uses ${state} and does not answer`, `If this does not change: ${again}.`)]
  },
)

function judgeRunning(service: Service, running: RunningService): Finding {
  const { pid, hardware, notReady, slots, stateFolder } = running
  const device = hardware === 'kernel' ? 'this device' : 'a virtual device'
  const who = `process ${pid} serves ${device}, state folder ${stateFolder}`
  if (notReady !== undefined)
    return warning(`${who}; not ready: ${notReady}`, `Run this again in a minute. If it stays not ready, ${logOf(service)}.`)
  const usable = Object.values(slots).filter((state) => state === 'usable').length
  return ok(`${who}; ready, ${usable === 1 ? '1 module' : `${usable} modules`} can be used`)
}

function slotTroubles(service: Service, { slots }: RunningService): readonly Finding[] {
  const troubles = Object.entries(slots).filter(([, state]) => NOT_SERVED.includes(state))
  return troubles.map(([slot, state]) => {
    const remedy = `See why: ${logOf(service)}. If the failure stays, pull the module out of slot ${slot} and push it in again.`
    return failure(`the service cannot use the module (${state}) and keeps retrying`, remedy, `slot ${slot} as served`)
  })
}

function logOf({ unit, name }: Service): string {
  return unit === undefined ? 'read its log, on standard error' : `journalctl -u ${name} -n 50`
}

export const doorsCheck = perService(
  'doors',
  'Service',
  () => 'the running service, or the addresses and ports in its settings',
  async (service, subject) => {
    if (service.running !== undefined) return judgeOpenDoors(service.running)
    const settings = settingsOf(service)
    const local = [
      { key: 'doors.port', host: LOOPBACK, port: settings.loopbackPort },
      ...settings.loopbackPorts.map((port) => ({ key: 'doors.loopback-ports', host: LOOPBACK, port })),
    ]
    const planned = plannedDoors(settings).map((door) => ({ key: `doors.${door.scheme}-port`, ...door }))
    const judge = (doors: readonly (typeof local)[number][], name: string) =>
      Promise.all(doors.map(async (door) => ({ ...(await judgeDoor(door, service, subject)), name })))
    const network = await judge(planned, NETWORK)
    const closed = ok('closed unless the service is started with --listen', NETWORK)
    return [...(await judge(local, LOCAL)), ...(network.length === 0 ? [closed] : network)]
  },
)

function judgeOpenDoors({ port: loopbackPort, networkDoors, missingDoors }: RunningService): readonly Finding[] {
  const loopback = ok(`open: http://${LOOPBACK}:${loopbackPort}`, LOCAL)
  if (networkDoors.length + missingDoors.length === 0) return [loopback, ok('closed', NETWORK)]
  const urlOf = ({ scheme, host, port }: (typeof networkDoors)[number]): string =>
    `${scheme}://${host.includes(':') ? `[${host}]` : host}:${port}`
  const missing = missingDoors.map((door) => {
    const look = `ss -ltnp 'sport = :${door.port}'; ip address`
    const remedy = `The service retries every minute. See which process has the port, and the addresses of this machine: ${look}.`
    return failure(`cannot be opened (${door.reason}): ${urlOf(door)}`, remedy, NETWORK)
  })
  return [loopback, ...networkDoors.map((door) => ok(`open: ${urlOf(door)}`, NETWORK)), ...missing]
}

/** Whether the next start can open a door. It never binds the port, not even briefly. */
async function judgeDoor(
  { key, host, port }: { readonly key: string; readonly host: string; readonly port: number },
  service: Service,
  { roots, user }: Subject,
): Promise<Finding> {
  const at = `${host} port ${port}`
  if (port === 0) return ok(`will open at ${host}, on a free port`)
  const other = `choose another port: slotwire config set ${key} <number> --state ${shellWord(service.state)}`
  const socket = await socketAt(host, port).catch(() => null)
  if (socket === null)
    return warning(`${at}: cannot run ss to find the process that uses it`, 'Install it: apt-get install iproute2.')
  if (socket !== undefined) {
    const { command = "another user's program", pid = 'unknown' } = socket
    const stop = `Stop that program (as root, ss -ltnp 'sport = :${port}' shows it), or ${other}.`
    return failure(`${at} is taken by ${command} (process ${pid})`, stop)
  }
  const unprivileged = Number(readPageOrNothing(`${roots.proc}/sys/net/ipv4/ip_unprivileged_port_start`) || FIRST_FREE_PORT)
  const capabilities = service.unit?.['AmbientCapabilities']?.toUpperCase().split(' ') ?? []
  if (port >= unprivileged || user.uid === 0 || capabilities.includes(CAPABILITY)) return ok(`will open at ${at}`)
  const remedy = `Give the unit AmbientCapabilities=${CAPABILITY}, or ${other}.`
  return warning(`${at} is free, but ${user.name} may not use ports below ${unprivileged}`, remedy)
}
