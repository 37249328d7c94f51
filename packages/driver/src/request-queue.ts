import { coreErrors } from '@slotwire/core'
import type { SlotStatistics } from './slot-statistics.ts'

/** Jobs that may wait for one slot, the running one not counted. */
export const QUEUE_LIMIT = 128

interface WaitingJob {
  readonly start: () => void
  readonly fail: (error: Error) => void
}

/** The jobs of one slot: one at a time, in order of arrival, bounded. What can wait goes when nothing else does. */
export class RequestQueue {
  readonly #slot: number
  readonly #limit: number
  readonly #statistics: SlotStatistics
  readonly #waiting: WaitingJob[] = []
  readonly #spare: WaitingJob[] = []
  #running = false
  #closed: Error | undefined

  constructor(slot: number, statistics: SlotStatistics, limit = QUEUE_LIMIT) {
    this.#slot = slot
    this.#statistics = statistics
    this.#limit = limit
  }

  /** Jobs that wait, those for spare time not counted. */
  get length(): number {
    return this.#waiting.length
  }

  /** Runs `job` when all before it are done. Rejects with `queueFull` at once when too many wait. */
  add<Result>(job: () => Promise<Result>): Promise<Result> {
    if (this.#running && this.#waiting.length >= this.#limit && this.#closed === undefined) {
      this.#statistics.refusedJobs++
      return Promise.reject(this.#full(this.#limit))
    }
    return this.#add(this.#waiting, job)
  }

  /** Runs `job` when no other waits, one that comes after it included. Rejects with `queueFull` when one waits for that already. */
  addSpare<Result>(job: () => Promise<Result>): Promise<Result> {
    if (this.#spare.length > 0) return Promise.reject(this.#full(1))
    return this.#add(this.#spare, job)
  }

  #full(limit: number): Error {
    return coreErrors.queueFull({ slot: this.#slot, limit })
  }

  #add<Result>(queue: WaitingJob[], job: () => Promise<Result>): Promise<Result> {
    if (this.#closed !== undefined) return Promise.reject(this.#closed)
    return new Promise((resolve, reject) => {
      const start = (): void => {
        this.#running = true
        const result = job()
        result.then(
          (value) => {
            resolve(value)
            this.#next()
          },
          () => {
            resolve(result)
            this.#next()
          },
        )
      }
      if (this.#running) queue.push({ start, fail: reject })
      else start()
    })
  }

  /** Fails every waiting job, and every later one, with `error`. The running job ends by itself. */
  close(error: Error): void {
    this.#closed = error
    for (const job of [...this.#waiting.splice(0), ...this.#spare.splice(0)]) job.fail(error)
  }

  #next(): void {
    this.#running = false
    const next = this.#waiting.shift() ?? this.#spare.shift()
    next?.start()
  }
}
