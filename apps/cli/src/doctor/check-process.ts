import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import type { Clock } from '@slotwire/core'
import type { Check, Finding } from './check.ts'
import { areFindings, type CheckRequest } from './checks/check-messages.ts'
import type { Installation } from './installation.ts'

/** The built program: a process cannot run what the compiler has not seen. */
const PROGRAM = new URL('./check-program.js', import.meta.url)
/** How long one check may take; those of slots may be patient for two seconds. */
const CHECK_DEADLINE_MS = 5000
/** How long a process may take until it can be asked, on a machine that is busy. */
const START_DEADLINE_MS = 30_000
/** Files that hang hold a thread each. */
const THREADS = '16'

/** A check, and whose installation it looks at. */
export interface CheckTask {
  readonly check: Check
  readonly installation: Installation
}

/** What came of it. */
export interface CheckResult extends CheckTask {
  readonly findings: readonly Finding[]
}

export interface CheckProcessOptions {
  readonly clock: Clock
  readonly program?: URL
  readonly deadlineMs?: number
}

/**
 * Runs checks, one after the other, in a process that is killed when one does not come back: a file that blocks, in whatever way, holds
 * nobody up for longer than a deadline. Rejects when no such process can be started.
 */
export async function runChecks(
  tasks: readonly CheckTask[],
  { clock, program = PROGRAM, deadlineMs = CHECK_DEADLINE_MS }: CheckProcessOptions,
): Promise<readonly CheckResult[]> {
  const results: CheckResult[] = []
  let child: ChildProcess | undefined
  try {
    for (const { check, installation } of tasks) {
      child ??= await start(program, clock)
      const message = await answerOf(child, clock, deadlineMs, { check: check.name, installation })
      if (areFindings(message)) {
        results.push({ check, installation, findings: [...message] })
        continue
      }
      end(child)
      child = undefined
      results.push({ check, installation, findings: [lost(message, check.subject(installation), deadlineMs)] })
    }
  } finally {
    if (child !== undefined) end(child)
  }
  return results
}

function lost(message: unknown, subject: string, deadlineMs: number): Finding {
  const found =
    message === LATE ? `does not come back within ${deadlineMs / 1000} s: ${subject}` : `looking at it failed: ${subject}`
  return { outcome: 'failure', found, remedy: 'See what is there, and what it hangs on, as root: stat, mount, dmesg.' }
}

const LATE = Symbol('late')
const ENDED = Symbol('ended')

async function start(program: URL, clock: Clock): Promise<ChildProcess> {
  const child = fork(program, {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    execArgv: [],
    env: { ...process.env, UV_THREADPOOL_SIZE: THREADS },
  })
  // Whoever waits for it hears of it; between two questions nobody has to.
  child.on('error', () => undefined)
  const said = await answerOf(child, clock, START_DEADLINE_MS)
  if (said === LATE || said === ENDED) {
    end(child)
    throw new Error('the process that looks at everything could not be started')
  }
  return child
}

/** What it says next; `LATE` or `ENDED` if nothing. */
async function answerOf(child: ChildProcess, clock: Clock, deadlineMs: number, request?: CheckRequest): Promise<unknown> {
  const given = new AbortController()
  const { signal } = given
  const first = Promise.race([
    once(child, 'message', { signal }).then(([message]: unknown[]) => message),
    once(child, 'exit', { signal }).then(() => ENDED),
    clock.sleep(deadlineMs, signal).then(() => LATE),
  ])
  if (request !== undefined) child.send(request)
  try {
    return await first
  } catch {
    // It could not be started, or its channel broke.
    return ENDED
  } finally {
    given.abort()
  }
}

/** It may hang where nothing ends it: nobody waits for it. */
function end(child: ChildProcess): void {
  child.kill('SIGKILL')
  if (child.connected) child.disconnect()
  child.unref()
}
