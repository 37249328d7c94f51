/**
 * Wraps `read` so that at most one call runs at a time. Callers that arrive during a read share the next one, so a result is never older
 * than the call.
 */
export function coalescedRead<Result>(read: () => Promise<Result>): () => Promise<Result> {
  let current: Promise<Result> | undefined
  let next: Promise<Result> | undefined
  const get = (): Promise<Result> => {
    if (current === undefined) {
      current = read().finally(() => {
        current = undefined
      })
      return current
    }
    next ??= current.then(afterwards, afterwards)
    return next
  }
  const afterwards = (): Promise<Result> => {
    next = undefined
    return get()
  }
  return get
}
