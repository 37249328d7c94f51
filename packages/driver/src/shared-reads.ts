/** How one read says that its first operation frame is on its way to the module. */
export type MarkSent = () => void

interface SharedRead {
  readonly result: Promise<unknown>
  sent: boolean
}

/**
 * Identical reads as one (behaviour.md, "Reads share work"). Of each key there are at most two at a time: one on the bus and one that
 * waits behind it, so two bus transactions are enough for any number of callers.
 */
export class SharedReads {
  readonly #onBus = new Map<string, SharedRead>()
  readonly #waiting = new Map<string, SharedRead>()

  /**
   * Joins a read of this `key`, or has `begin` queue a new one. A plain read joins the one that will answer first; a `fresh` one only a
   * read of which nothing has been sent. `begin` must call `markSent` when the first operation frame goes out.
   */
  join<Result>(key: string, fresh: boolean, begin: (markSent: MarkSent) => Promise<Result>): Promise<Result> {
    const joined = (fresh ? undefined : this.#onBus.get(key)) ?? this.#waiting.get(key)
    // One key stands for one kind of result: that is what a key is.
    if (joined !== undefined) return joined.result as Promise<Result>
    return this.#begin(key, begin)
  }

  #begin<Result>(key: string, begin: (markSent: MarkSent) => Promise<Result>): Promise<Result> {
    let sentAtOnce = false
    let read: SharedRead | undefined
    const result = begin(() => {
      if (read === undefined) sentAtOnce = true
      else if (!read.sent) this.#moveToBus(key, read)
    })
    read = { result, sent: false }
    this.#waiting.set(key, read)
    if (sentAtOnce) this.#moveToBus(key, read)
    const entry = read
    const forget = (): void => {
      if (this.#waiting.get(key) === entry) this.#waiting.delete(key)
      if (this.#onBus.get(key) === entry) this.#onBus.delete(key)
    }
    result.then(forget, forget)
    return result
  }

  #moveToBus(key: string, read: SharedRead): void {
    read.sent = true
    if (this.#waiting.get(key) === read) this.#waiting.delete(key)
    this.#onBus.set(key, read)
  }
}
