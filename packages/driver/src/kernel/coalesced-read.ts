/**
 * `read` for everybody who asks, at most once at a time: all who ask while it goes on share the next reading. What they get is read from
 * now on, never before.
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
