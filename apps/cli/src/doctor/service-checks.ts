import { plannedDoors } from '@slotwire/network'
import { processUsing } from '../state/state-access.ts'
import { shellWord } from '../terminal/text.ts'
import { type Finding, failure, ok, type RunningService, type Service, type Subject, warning } from './check.ts'
import { readPageOrNothing } from './host.ts'
import { LOOPBACK, settingsOf, socketAt } from './running-service.ts'

/** Lower ports need a capability by default. */
const FIRST_FREE_PORT = 1024
const CAPABILITY = 'CAP_NET_BIND_SERVICE'
/** Names of the lines about doors. */
const LOCAL = 'loopback door'
const NETWORK = 'network door'
/** Slot states in which a module is not served although it should be. */
const NOT_SERVED = ['failed', 'hung', 'lost', 'incompatible']

/** Judges the running service, or the process that uses its state folder. Throws for an unreadable lock. */
export function checkRunningService({ service }: Subject): Finding | readonly Finding[] {
  const { running, state, unit } = service
  if (running !== undefined) return judgeRunning(service, running)
  const pid = processUsing(state)
  if (pid === undefined) return ok(`none with the state folder ${state}: the other checks apply to the next start`)
  const again = unit === undefined ? `kill -KILL ${pid}, then start it again` : `systemctl restart ${unit['Id'] ?? ''}`
  return failure(`process ${pid} uses ${state} and does not answer`, `If this does not change: ${again}.`)
}

function judgeRunning({ unit }: Service, { pid, hardware, notReady, slotStates, stateFolder }: RunningService): Finding[] {
  const device = hardware === 'kernel' ? 'this device' : 'a virtual device'
  const who = `process ${pid} serves ${device}, state folder ${stateFolder}`
  const log = unit === undefined ? 'read its log, on standard error' : `journalctl -u ${unit['Id'] ?? ''} -n 50`
  const usable = Object.values(slotStates).filter((state) => state === 'usable').length
  const readiness =
    notReady === undefined
      ? ok(`${who}; ready, ${usable === 1 ? '1 module' : `${usable} modules`} can be used`)
      : warning(`${who}; not ready: ${notReady}`, `Run this again in a minute. If it stays not ready, ${log}.`)
  const troubles = Object.entries(slotStates).filter(([, state]) => NOT_SERVED.includes(state))
  const unserved = troubles.map(([slot, state]) => {
    const remedy = `See why: ${log}. If the failure stays, pull the module out of slot ${slot} and push it in again.`
    return failure(`the service cannot use the module (${state}) and keeps retrying`, remedy, `slot ${slot} as served`)
  })
  return [readiness, ...unserved]
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
async function judgeDoor(
  { key, host, port }: { readonly key: string; readonly host: string; readonly port: number },
  { roots, user, service }: Subject,
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
