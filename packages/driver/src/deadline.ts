import type { Clock } from '@slotwire/core'

/**
 * Waits for `work`, but at most `deadlineMs`; then rejects with what `expired` makes, or says (`not closed` within so many ms). A result that comes after all goes to `late`, so
 * that its owner can give it back; a failure that comes after all says nothing new.
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
