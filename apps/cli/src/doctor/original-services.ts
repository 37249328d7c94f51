import { readdirSync } from 'node:fs'
import { orElse } from '@slotwire/core'
import { SERVICE_PORTS } from '@slotwire/device/names'
import { type Finding, ok, type Subject, warning } from './check.ts'
import { readPageOrNothing } from './host.ts'
import { LOOPBACK, settingsOf, socketAt } from './running-service.ts'

/** Folders below `/etc` whose files may name the services: those of nginx and avahi. */
const FOLDERS = ['nginx', 'nginx/conf.d', 'nginx/sites-enabled', 'avahi/services']
const NAMES = Object.keys(SERVICE_PORTS).join('|')
/** A port, a path, or the announced name of a service. */
const NAMES_A_SERVICE = new RegExp(`\\b(?:${Object.values(SERVICE_PORTS).join('|')}|(?:${NAMES})-module)\\b|/api/(?:${NAMES})\\b`)

/** What was set up for the original services: which programs have their ports, and which files lead to them. */
export async function checkOriginalServices({ roots, service }: Subject): Promise<readonly Finding[]> {
  const findings: Finding[] = []
  for (const [name, port] of Object.entries(SERVICE_PORTS)) {
    const socket = await socketAt(LOOPBACK, port).catch(() => undefined)
    const { running } = service
    const ours = running === undefined ? [] : [running.port, ...settingsOf(service).loopbackPorts]
    // The process of a port is visible only to root and its own user.
    if (socket === undefined || ours.includes(port) || Number(socket.pid) === running?.pid) continue
    const { command = "another user's program", pid = 'unknown' } = socket
    const look = `ss -ltnp 'sport = :${port}' shows it, systemctl status ${pid} its unit`
    const remedy = `Stop it before Slotwire answers at this port (doors.loopback-ports): ${look}.`
    findings.push(warning(`port ${port} of the original ${name} service is used by ${command} (process ${pid})`, remedy))
  }
  const files = FOLDERS.flatMap((folder) => {
    const path = `${roots.etc}/${folder}`
    const names = orElse([], () => readdirSync(path).sort())
    return names.map((name) => `${path}/${name}`).filter((file) => NAMES_A_SERVICE.test(readPageOrNothing(file)))
  })
  if (files.length > 0) findings.push(ok(`named by ${files.join(', ')}: see docs/guide/from-the-original.md`))
  return findings.length > 0 ? findings : [ok('none: no program has their ports, no file of nginx or avahi names them')]
}
