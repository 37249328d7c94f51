import { linesOf } from './host/files.ts'
import type { Installation } from './installation.ts'
import { ownUnits } from './units/systemd.ts'

/** From here on ports are everybody's, unless the system says otherwise. */
const FIRST_FREE_PORT = 1024
const CAPABILITY = 'CAP_NET_BIND_SERVICE'
/** Where systemd makes the state folders of units. */
const STATE_FOLDERS = '/var/lib'

/** What keeps a user from a port, and what can be done about it besides choosing another one. */
export interface MissingLeave {
  readonly found: string
  readonly remedy: string
}

/** Undefined: the user may use the port, by its number or by the unit that runs the service of this state folder. */
export async function missingLeave(installation: Installation, port: number): Promise<MissingLeave | undefined> {
  const { roots, user } = installation
  const firstFree = await firstFreePort(roots.proc)
  if (port >= firstFree || user.uid === 0 || (await isGivenByUnit(installation))) return undefined
  return {
    found: `free, but ${user.name} needs leave to use ports below ${firstFree}`,
    remedy: `${CAPABILITY} as AmbientCapabilities= and CapabilityBoundingSet= of the service’s unit, with PrivateUsers=no, gives it, as does sysctl net.ipv4.ip_unprivileged_port_start=${port}`,
  }
}

async function firstFreePort(proc: string): Promise<number> {
  const [text = ''] = await linesOf(`${proc}/sys/net/ipv4/ip_unprivileged_port_start`)
  return /^\d+$/.test(text) ? Number(text) : FIRST_FREE_PORT
}

/** A user may run several services, each with other powers. */
async function isGivenByUnit(installation: Installation): Promise<boolean> {
  const { user, state } = installation
  const units = await ownUnits(installation, ['User', 'StateDirectory', 'AmbientCapabilities']).catch(() => undefined)
  return (units ?? []).some((unit) => {
    const words = (name: string): readonly string[] => unit.get(name)?.split(' ') ?? []
    if (unit.get('User') !== user.name) return false
    const isItsOwn = words('StateDirectory').some((folder) => `${STATE_FOLDERS}/${folder}` === state)
    return isItsOwn && words('AmbientCapabilities').includes(CAPABILITY.toLowerCase())
  })
}
