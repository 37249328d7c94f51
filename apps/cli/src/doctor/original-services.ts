import { readdirSync } from 'node:fs'
import { orElse } from '@slotwire/core'
import { SERVICE_PORTS } from '@slotwire/device/names'
import { type Check, type Finding, ok, warning } from './check.ts'
import { readPageOrNothing } from './host.ts'
import { LOOPBACK, settingsOf, socketAt } from './running-service.ts'
import type { Service, Subject } from './subject.ts'

/** Folders below `/etc` whose files may name the services: those of nginx and avahi. */
const FOLDERS = ['nginx', 'nginx/conf.d', 'nginx/sites-enabled', 'avahi/services']
const PORTS = Object.values(SERVICE_PORTS)
const NAMES = Object.keys(SERVICE_PORTS).join('|')
/** A port, a path, or the announced name of a service. */
const NAMES_A_SERVICE = new RegExp(`\\b(?:${PORTS.join('|')}|(?:${NAMES})-module)\\b|/api/(?:${NAMES})\\b`)

/** What was set up for the original services: who has their ports, and which files lead to them. */
export const originalServicesCheck: Check = {
  name: 'original services',
  group: 'Hardware',
  lookedAt: ({ roots }) => `ports ${PORTS.join(', ')}, and the files of nginx and avahi in ${roots.etc}`,
  run: async (subject) => {
    const holders = await Promise.all(Object.entries(SERVICE_PORTS).map(([name, port]) => judgePort(name, port, subject)))
    const files = filesNaming(subject)
    const named = files.length === 0 ? [] : [ok(`named by ${files.join(', ')}: see docs/guide/from-the-original.md`)]
    const findings = [...holders.flatMap((finding) => finding ?? []), ...named]
    return findings.length > 0 ? findings : [ok('none: no program has their ports, no file of nginx or avahi names them')]
  },
}

async function judgePort(name: string, port: number, { services }: Subject): Promise<Finding | undefined> {
  const socket = await socketAt(LOOPBACK, port).catch(() => undefined)
  if (socket === undefined || services.some((service) => isOurs(service, Number(socket.pid), port))) return undefined
  const { command = "another user's program", pid = 'unknown' } = socket
  const remedy = `Stop it before Slotwire answers at this port (doors.loopback-ports): ss -ltnp 'sport = :${port}' shows it, systemctl status ${pid} its unit.`
  return warning(`port ${port} of the original ${name} service is used by ${command} (process ${pid})`, remedy)
}

/** The process of a port is visible only to root and its own user. */
function isOurs(service: Service, pid: number, port: number): boolean {
  const { running } = service
  if (running === undefined) return false
  return running.pid === pid || running.port === port || settingsOf(service).loopbackPorts.includes(port)
}

function filesNaming({ roots }: Subject): readonly string[] {
  return FOLDERS.flatMap((folder) => {
    const path = `${roots.etc}/${folder}`
    const names = orElse([], () => readdirSync(path).sort())
    return names.map((name) => `${path}/${name}`).filter((file) => NAMES_A_SERVICE.test(readPageOrNothing(file)))
  })
}
