import { readFileSync } from 'node:fs'

const TICKS_PER_SECOND = 100
const BYTES_PER_KILOBYTE = 1024
const BYTES_PER_MEGABYTE = 1_000_000
/** Fields of `/proc/<pid>/stat` after the closing bracket of the name: user time and system time. */
const [USER_TIME_FIELD, SYSTEM_TIME_FIELD] = [11, 12]

/** Resident memory of a process, in MB. */
export function residentMegabytes(pid: number): number {
  const kilobytes = Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])
  return (kilobytes * BYTES_PER_KILOBYTE) / BYTES_PER_MEGABYTE
}

/** Processor time of a process since its start, in seconds. */
export function processorSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[USER_TIME_FIELD]) + Number(fields[SYSTEM_TIME_FIELD])) / TICKS_PER_SECOND
}
