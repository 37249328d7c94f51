import { nextTurn } from '@slotwire/core'

/** So many callers that share a read get their result at once; then others' work goes first, before the next so many. */
export const RESULTS_AT_ONCE = 2

/** How one read says that its first operation frame is on its way to the module. */
export type MarkSent = () => void

interface SharedRead {
  result: Promise<unknown>
  /** Callers who have joined. */
  joined: number
  /** When the last of them gets the result. */
  handedOut: Promise<void>
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
    if (joined !== undefined) return joinedResult(joined) as Promise<Result>
    return this.#begin(key, begin)
  }

  #begin<Result>(key: string, begin: (markSent: MarkSent) => Promise<Result>): Promise<Result> {
    // Known before it begins: on an idle slot the first frame goes out while `begin` still runs.
    const read: SharedRead = { result: NOT_BEGUN, joined: 0, handedOut: NOT_BEGUN }
    this.#waiting.set(key, read)
    const result = begin(() => {
      if (this.#waiting.get(key) !== read) return
      this.#waiting.delete(key)
      this.#onBus.set(key, read)
    })
    read.result = result
    read.handedOut = result.then(ignore, ignore)
    const forget = (): void => {
      if (this.#waiting.get(key) === read) this.#waiting.delete(key)
      if (this.#onBus.get(key) === read) this.#onBus.delete(key)
    }
    result.then(forget, forget)
    return result
  }
}

const NOT_BEGUN = Promise.resolve()
const ignore = (): void => undefined

/**
 * The result for one more caller. A thousand answers in a row would hold everything else up, also those among the first who ask again
 * and would keep the bus busy.
 */
function joinedResult(read: SharedRead): Promise<unknown> {
  read.joined++
  if (read.joined < RESULTS_AT_ONCE) return read.result
  if (read.joined % RESULTS_AT_ONCE === 0) read.handedOut = read.handedOut.then(nextTurn)
  return read.handedOut.then(() => read.result)
}
