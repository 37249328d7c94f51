import { readdirSync, readFileSync } from 'node:fs'

const TICKS_PER_SECOND = 100
const KILOBYTES_PER_MEGABYTE = 1_000_000 / 1024
/** Fields of `/proc/<pid>/stat` after the closing bracket of the name: user time and system time. */
const [USER_TIME_FIELD, SYSTEM_TIME_FIELD] = [11, 12]

/** Resident memory of a process, in MB. */
export function residentMegabytes(pid: number): number {
  return megabytesOf(pid, 'status', 'VmRSS')
}

/** Memory of a process that no other process shares, in MB. */
export function privateMegabytes(pid: number): number {
  return megabytesOf(pid, 'smaps_rollup', 'Private_Clean') + megabytesOf(pid, 'smaps_rollup', 'Private_Dirty')
}

/** Processor time of a process since its start, in seconds. For one thread write `<pid>/task/<thread>`. */
export function processorSeconds(pid: number | string): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[USER_TIME_FIELD]) + Number(fields[SYSTEM_TIME_FIELD])) / TICKS_PER_SECOND
}

/** A process, its child processes, and theirs. */
export function withDescendants(pid: number): readonly number[] {
  const tasks = readdirSync(`/proc/${pid}/task`)
  const children = tasks.flatMap((task) => readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').trim().split(' '))
  return [pid, ...children.filter((child) => child !== '').flatMap((child) => withDescendants(Number(child)))]
}

function megabytesOf(pid: number, file: string, name: string): number {
  const text = readFileSync(`/proc/${pid}/${file}`, 'utf8')
  return Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(text)?.[1]) / KILOBYTES_PER_MEGABYTE
}
