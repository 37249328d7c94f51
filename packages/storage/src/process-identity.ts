import { readFileSync } from 'node:fs'
import { orElse } from '@slotwire/core'
import { isRunning } from './durable-file.ts'

/** Identifies a process uniquely, even after its number was reused or the machine restarted. */
export interface ProcessIdentity {
  readonly pid: number
  /** Start of the process in the kernel's ticks since `boot`; empty if the system does not show it. */
  readonly started: string
  readonly boot: string
}

/** Field of `/proc/<pid>/stat` with the start time, counted after the closing bracket of the name. */
const START_TIME_FIELD = 19
/** Values of the first of these fields for a process that has ended and waits for its parent. */
const ENDED = new Set(['Z', 'X'])

/** Empty for a process that has ended, and if the system does not show it. */
function startOf(pid: number): string {
  const stat = orElse('', () => readFileSync(`/proc/${pid}/stat`, 'utf8'))
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return ENDED.has(fields[0] ?? '') ? '' : (fields[START_TIME_FIELD] ?? '')
}

const bootIdentifier = (): string => orElse('', () => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim())

/** Identity of a process on this machine. */
export function identityOf(pid: number): ProcessIdentity {
  return { pid, started: startOf(pid), boot: bootIdentifier() }
}

/** Whether this process still runs and has the number. */
export function isAlive(identity: ProcessIdentity): boolean {
  if (!isRunning(identity.pid)) return false
  const now = identityOf(identity.pid)
  return now.started === identity.started && now.boot === identity.boot
}

/** Parses the JSON of an identity; undefined for any other text. */
export function parseIdentity(text: string): ProcessIdentity | undefined {
  try {
    const { pid, started, boot } = JSON.parse(text) as Partial<ProcessIdentity>
    if (typeof pid !== 'number' || typeof started !== 'string' || typeof boot !== 'string') return undefined
    return { pid, started, boot }
  } catch {
    return undefined
  }
}
