import { type Clock, coreErrors } from '@slotwire/core'
import { StallTimer } from '../stall-timer.ts'
import type { SlotStatistics } from './slot-statistics.ts'

/** Jobs that may wait for one slot, the running one not counted. */
export const QUEUE_LIMIT = 128
/**
 * A job that takes longer, in milliseconds, does not end at all: the longest sets the power of an io module, a dozen exchanges with all
 * their retries and a question to the power manager.
 */
export const JOB_LIMIT_MS = 120_000

interface WaitingJob {
  readonly start: () => void
  readonly fail: (error: Error) => void
}

export interface RequestQueueOptions {
  readonly slot: number
  readonly clock: Clock
  readonly statistics: SlotStatistics
  readonly limit?: number | undefined
}

/** The jobs of one slot: one at a time, in order of arrival, bounded. What can wait goes when nothing else does. */
export class RequestQueue {
  readonly #options: RequestQueueOptions
  readonly #limit: number
  readonly #waiting: WaitingJob[] = []
  readonly #spare: WaitingJob[] = []
  readonly #job: StallTimer
  #closed: Error | undefined

  constructor(options: RequestQueueOptions) {
    this.#options = options
    this.#limit = options.limit ?? QUEUE_LIMIT
    this.#job = new StallTimer(options.clock, JOB_LIMIT_MS)
  }

  /** For how many seconds a job has been running that does not end; undefined: none is stuck. */
  get stuckSeconds(): number | undefined {
    return this.#job.stuckSeconds
  }

  /** Jobs that wait, those for spare time not counted. */
  get length(): number {
    return this.#waiting.length
  }

  /** Runs `job` when all before it are done. Rejects with `queueFull` at once when too many wait. */
  add<Result>(job: () => Promise<Result>): Promise<Result> {
    if (this.#job.now && this.#waiting.length >= this.#limit && this.#closed === undefined) {
      this.#options.statistics.refusedJobs++
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
    return coreErrors.queueFull({ slot: this.#options.slot, limit })
  }

  #add<Result>(queue: WaitingJob[], job: () => Promise<Result>): Promise<Result> {
    if (this.#closed !== undefined) return Promise.reject(this.#closed)
    return new Promise((resolve, reject) => {
      const start = (): void => {
        this.#job.begin()
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
      if (this.#job.now) queue.push({ start, fail: reject })
      else start()
    })
  }

  /** Fails every waiting job, and every later one, with `error`. The running job ends by itself. */
  close(error: Error): void {
    this.#closed = error
    for (const job of [...this.#waiting.splice(0), ...this.#spare.splice(0)]) job.fail(error)
  }

  #next(): void {
    this.#job.end()
    const next = this.#waiting.shift() ?? this.#spare.shift()
    next?.start()
  }
}
