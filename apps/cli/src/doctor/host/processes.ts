import { readdir, readlink } from 'node:fs/promises'
import { processUsing } from '../../state/state-lock.ts'
import { type Unit, unitOf } from '../units/unit.ts'
import { linesOf, readText, reasonOf } from './files.ts'

/** A process has so many ancestors at most that are looked at. */
const MOST_ANCESTORS = 8
/** Field of `/proc/<pid>/stat` behind the name's closing bracket that holds the parent. */
const PARENT_FIELD = 1
/** What looking at a process says that is no more. */
const HAS_ENDED = new Set(['ENOENT', 'ESRCH'])

/** A running process, as an administrator knows it. */
export interface RunningProcess {
  readonly pid: number
  readonly command: string
  readonly unit: Unit | undefined
}

/** Which processes have which files open, as far as this user may see. */
export interface OpenFiles {
  /** By what the links in `/proc/<pid>/fd` say: a path, or `socket:[4711]`. */
  readonly holders: ReadonlyMap<string, readonly RunningProcess[]>
  /** Whether this user could not see what some processes have open. */
  readonly isPartial: boolean
}

/** Looks through the open files of all processes for these. */
export async function openFiles(proc: string, wanted: readonly string[]): Promise<OpenFiles> {
  const holders = new Map<string, RunningProcess[]>()
  let isPartial = false
  const pids = (await readdir(proc).catch(() => [])).filter((name) => /^\d+$/.test(name)).map(Number)
  for (const pid of pids) {
    const folder = `${proc}/${pid}/fd`
    const names = await readdir(folder).catch((error: unknown) => {
      isPartial ||= !HAS_ENDED.has(reasonOf(error))
      return []
    })
    const links = new Set(await Promise.all(names.map((name) => readlink(`${folder}/${name}`).catch(() => ''))))
    for (const link of wanted) {
      if (links.has(link)) holders.set(link, [...(holders.get(link) ?? []), await processOf(proc, pid)])
    }
  }
  return { holders, isPartial }
}

/** `socat (process 4711 of io.service)`. */
export function formatProcess({ pid, command, unit }: RunningProcess): string {
  const owner = unit?.user === undefined ? '' : ` of user ${unit.user}`
  return `${command} (process ${pid}${unit === undefined ? '' : ` of ${unit.name}${owner}`})`
}

/** Whether it belongs to a Slotwire that runs: to the one that uses this state folder, or to another unit of the package. */
export async function isOurs(proc: string, state: string, { pid, unit }: RunningProcess): Promise<boolean> {
  if (isOwnUnit(unit)) return true
  const service = serviceUsing(state)
  if (service === undefined) return false
  for (let ancestor = pid, steps = 0; ancestor > 1 && steps < MOST_ANCESTORS; steps++) {
    if (ancestor === service) return true
    ancestor = await parentOf(proc, ancestor)
  }
  return false
}

/** Whether it is one of the package's units, whose restart starts nothing else anew. */
export function isOwnUnit(unit: Unit | undefined): unit is Unit {
  return unit?.user === undefined && unit?.name.startsWith('slotwire') === true
}

/** Whether a service runs with this state folder. */
export function isStateUsed(state: string): boolean {
  return serviceUsing(state) !== undefined
}

/** What cannot be told counts as nobody here; the check of the lock says why. */
function serviceUsing(state: string): number | undefined {
  try {
    return processUsing(state)
  } catch {
    return undefined
  }
}

async function processOf(proc: string, pid: number): Promise<RunningProcess> {
  const command = (await readText(`${proc}/${pid}/comm`).catch(() => '')).trim() || 'a program'
  return { pid, command, unit: unitOf(await linesOf(`${proc}/${pid}/cgroup`)) }
}

async function parentOf(proc: string, pid: number): Promise<number> {
  const stat = await readText(`${proc}/${pid}/stat`).catch(() => '')
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[PARENT_FIELD] ?? 0)
}
