import type { Clock } from './clock.ts'

/**
 * Waits for `work` for at most `deadlineMs`. Then rejects with what `expired` makes, or with a message (`not closed` within so many ms).
 * A late result goes to `late`, so that its owner can release it; a late failure is ignored.
 */
export function withDeadline<Result>(
  clock: Clock,
  deadlineMs: number,
  work: Promise<Result>,
  expired: string | (() => Error),
  late?: (result: Result) => void,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    let over = false
    const timer = clock.after(deadlineMs, () => {
      over = true
      reject(typeof expired === 'string' ? new Error(`${expired} within ${deadlineMs} ms`) : expired())
    })
    const settle = (): void => {
      timer.cancel()
      if (!over) resolve(work)
      else if (late !== undefined) work.then(late, () => undefined)
    }
    work.then(settle, settle)
  })
}

/** Waits for `work` until `signal` is aborted, then rejects with its reason. A later outcome of `work` is ignored. */
export function unlessAborted<Result>(work: Promise<Result>, signal: AbortSignal | undefined): Promise<Result> {
  if (signal === undefined) return work
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error)
    const settle = (): void => {
      signal.removeEventListener('abort', abort)
      resolve(work)
    }
    work.then(settle, settle)
    if (signal.aborted) abort()
    else signal.addEventListener('abort', abort, { once: true })
  })
}
