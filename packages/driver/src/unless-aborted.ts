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
