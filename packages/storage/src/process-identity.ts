import { readFileSync } from 'node:fs'
import { codeOf } from '@slotwire/core'

/** What tells one process from every other, also after its number was given away again or the machine was started anew. */
export interface ProcessIdentity {
  readonly pid: number
  /** Start of the process in the kernel's ticks since `boot`; empty where the system does not tell. */
  readonly started: string
  readonly boot: string
}

/** Field of `/proc/<pid>/stat` that holds the start time, counted behind the name's closing bracket. */
const START_TIME_FIELD = 19
/** States, in the first of these fields, of a process that has ended and waits for its parent to notice. */
const ENDED = new Set(['Z', 'X'])

/** Empty for a process that has ended, and where the system does not tell. */
function startOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return ENDED.has(fields[0] ?? '') ? '' : (fields[START_TIME_FIELD] ?? '')
  } catch {
    return ''
  }
}

function bootIdentifier(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  } catch {
    return ''
  }
}

/** Identity of a process of this machine. */
export function identityOf(pid: number): ProcessIdentity {
  return { pid, started: startOf(pid), boot: bootIdentifier() }
}

/** Whether it is still this process that has the number, and still runs. */
export function isAlive(identity: ProcessIdentity): boolean {
  try {
    process.kill(identity.pid, 0)
  } catch (error) {
    if (codeOf(error) !== 'EPERM') return false
  }
  const now = identityOf(identity.pid)
  return now.started === identity.started && now.boot === identity.boot
}

/** What `JSON.stringify` made of an identity; undefined for any other text. */
export function parseIdentity(text: string): ProcessIdentity | undefined {
  try {
    const { pid, started, boot } = JSON.parse(text) as Partial<ProcessIdentity>
    if (typeof pid !== 'number' || typeof started !== 'string' || typeof boot !== 'string') return undefined
    return { pid, started, boot }
  } catch {
    return undefined
  }
}
