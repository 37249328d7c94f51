import { fork } from 'node:child_process'
import type { Clock } from '@slotwire/core'
import { type Check, type Finding, failure } from './check.ts'
import { checksFor } from './checks.ts'
import type { Subject } from './subject.ts'

/** The built program: a child process cannot run TypeScript sources. */
const PROGRAM = new URL('./check-program.js', import.meta.url)
/** Longest time for one check. Checks of slots wait two seconds for a module. */
const CHECK_DEADLINE_MS = 5000
/** Longest time until the first answer, on a busy machine. */
const START_DEADLINE_MS = 30_000

/** The request to the check process. It answers first with the services and their reported state, then with the findings of each check. */
export interface CheckRequest {
  readonly subject: Subject
  /** Number of answers received already. */
  readonly from: number
}

export interface CheckProcessOptions {
  readonly clock: Clock
  readonly program?: URL | undefined
  readonly deadlineMs?: number
}

/** Results of all checks. */
export interface CheckResults {
  readonly subject: Subject
  readonly results: readonly (readonly [Check, readonly Finding[]])[]
}

/** Queries the running services and runs all checks in a child process. If a file blocks, kills it and continues in another one. */
export async function runChecks(planned: Subject, options: CheckProcessOptions): Promise<CheckResults> {
  const checks = checksFor(planned)
  const answers: unknown[] = []
  const found = (): Subject => ({ ...planned, ...(answers[0] as Pick<Subject, 'services'> | undefined) })
  while (answers.length <= checks.length) {
    await collect(answers, checks.length + 1, { subject: found(), from: answers.length }, options)
    // The check that did not answer.
    if (answers.length <= checks.length) answers.push(undefined)
  }
  const subject = found()
  const remedy = 'Find out as root what it waits for: stat, mount, dmesg.'
  const results = checks.map((check, index) => {
    const missing = [failure(`no answer in time: ${check.lookedAt(subject)}`, remedy)]
    return [check, (answers[index + 1] as readonly Finding[] | undefined) ?? missing] as const
  })
  return { subject, results }
}

/** Collects answers until it has all, one is late, or the process ends. */
function collect(
  answers: unknown[],
  wanted: number,
  request: CheckRequest,
  { clock, program = PROGRAM, deadlineMs = CHECK_DEADLINE_MS }: CheckProcessOptions,
): Promise<void> {
  const child = fork(program, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'], execArgv: [] })
  return new Promise((resolve) => {
    let isOver = false
    const end = (): void => {
      isOver = true
      timer.cancel()
      child.kill('SIGKILL')
      // The child may hang in a state that no signal reaches.
      child.unref()
      child.channel?.unref()
      resolve()
    }
    let timer = clock.after(START_DEADLINE_MS, end)
    child.on('error', end).on('exit', end)
    child.on('message', (answer) => {
      if (isOver) return
      timer.cancel()
      if (answers.push(answer) === wanted) end()
      else timer = clock.after(deadlineMs, end)
    })
    child.send(request)
  })
}
