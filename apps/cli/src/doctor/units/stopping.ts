import { readdir, readlink, realpath } from 'node:fs/promises'
import { shellWord } from '../host/files.ts'
import type { RunningProcess } from '../host/processes.ts'
import { occupiedSlots } from '../host/slots.ts'
import type { Installation } from '../installation.ts'
import { askSystemd, unitsOf } from './systemd.ts'

/** Of systemd itself. */
const SYSTEMD_SCOPE = 'init.scope'

/**
 * What to do about a program that has what the service needs. A unit is to be disabled only where its main process itself drives a module: whatever
 * else a program was started by, a login, a timer or a container's manager, may be the way in for whoever reads this.
 */
export async function stopping(installation: Installation, process: RunningProcess): Promise<string> {
  const { unit } = process
  const isDriver = unit !== undefined && (await drives(installation, process)) && (await isMain(installation, process))
  if (isDriver) return `Stop it: systemctl disable --now ${shellWord(unit.name)}.`
  return `See what it is, and stop it where it was started: ${looking(process)}.`
}

/** The command that shows what it is. */
function looking({ pid, unit }: RunningProcess): string {
  if (unit === undefined) return `ps -f -p ${pid}`
  if (unit.user !== undefined) return `systemctl --user status ${pid}, as user ${unit.user}`
  // Who listens for others has no status of its own.
  if (pid === 1) return unit.name === SYSTEMD_SCOPE ? 'systemctl list-sockets --all' : `systemctl status ${shellWord(unit.name)}`
  return `systemctl status ${pid}`
}

async function drives(installation: Installation, { pid }: RunningProcess): Promise<boolean> {
  const folder = `${installation.roots.proc}/${pid}/fd`
  const slots = await occupiedSlots(installation).catch(() => [])
  const files = new Set(await Promise.all(slots.map(({ file }) => realpath(file).catch(() => file))))
  const names = await readdir(folder).catch(() => [])
  const links = await Promise.all(names.map((name) => readlink(`${folder}/${name}`).catch(() => '')))
  return links.some((link) => files.has(link))
}

async function isMain(installation: Installation, { pid, unit }: RunningProcess): Promise<boolean> {
  if (unit?.user !== undefined || unit?.name.endsWith('.service') !== true) return false
  const words = ['show', '--property=MainPID,StandardInput', '--', unit.name]
  const [told] = unitsOf((await askSystemd(installation, ...words).catch(() => undefined)) ?? '')
  // Of a terminal somebody may have logged in at the main process is a shell.
  return told?.get('MainPID') === String(pid) && told.get('StandardInput')?.startsWith('tty') !== true
}
