import { nextTurn } from '@slotwire/core'

/** So many callers of a shared read get their result at once. Then other work runs before the next ones. */
export const RESULTS_AT_ONCE = 2

/** Reports that the first operation frame of a read is being sent. */
export type MarkSent = () => void

interface SharedRead {
  result: Promise<unknown>
  /** Number of callers that joined. */
  joined: number
  /** When the last of them has the result. */
  delivered: Promise<void>
}

/**
 * Shares identical reads (behaviour.md, "Reads share work"). For each key there are at most two at a time: one on the bus and one
 * waiting. So two bus transactions serve any number of callers.
 */
export class SharedReads {
  readonly #onBus = new Map<string, SharedRead>()
  readonly #waiting = new Map<string, SharedRead>()

  /**
   * Joins a read with this `key`, or starts a new one with `begin`. A plain read joins the one that will end first; a `fresh` one joins
   * only a read that has sent nothing. `begin` must call `markSent` when the first operation frame is sent.
   */
  join<Result>(key: string, fresh: boolean, begin: (markSent: MarkSent) => Promise<Result>): Promise<Result> {
    const joined = (fresh ? undefined : this.#onBus.get(key)) ?? this.#waiting.get(key)
    // All reads of one key have the same result type.
    if (joined !== undefined) return joinedResult(joined) as Promise<Result>
    return this.#begin(key, begin)
  }

  #begin<Result>(key: string, begin: (markSent: MarkSent) => Promise<Result>): Promise<Result> {
    // Register it first: on an idle slot `begin` sends the first frame at once.
    const read: SharedRead = { result: NOT_BEGUN, joined: 0, delivered: NOT_BEGUN }
    this.#waiting.set(key, read)
    const result = begin(() => {
      if (this.#waiting.get(key) !== read) return
      this.#waiting.delete(key)
      this.#onBus.set(key, read)
    })
    read.result = result
    read.delivered = result.then(ignore, ignore)
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
 * The result for one more caller. A thousand answers in a row would block everything else, and early callers that ask again would keep
 * the bus busy.
 */
function joinedResult(read: SharedRead): Promise<unknown> {
  read.joined++
  if (read.joined < RESULTS_AT_ONCE) return read.result
  if (read.joined % RESULTS_AT_ONCE === 0) read.delivered = read.delivered.then(nextTurn)
  return read.delivered.then(() => read.result)
}
