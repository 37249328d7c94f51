import { type Clock, coreErrors } from '@slotwire/core'
import { StallTimer } from '../stall-timer.ts'
import type { SlotStatistics } from './slot-statistics.ts'

/** Most jobs that may wait for one slot, without the running one. */
export const MAX_WAITING_JOBS = 128
/**
 * A job that takes longer is stuck, in milliseconds. The longest one sets the power of an io module: a dozen exchanges with all retries,
 * and a request to the power manager.
 */
export const MAX_JOB_MS = 120_000

/** Most jobs ahead of the others that clients may cause, and most in a row while others wait. */
export const MAX_JOBS_AHEAD = 16

interface Waiting {
  /** A write may be overtaken. */
  readonly isWrite?: boolean
  /** Called if the job must wait. */
  readonly onWait?: () => void
}

interface WaitingJob extends Waiting {
  readonly start: () => void
  readonly fail: (error: Error) => void
}

export interface RequestQueueOptions {
  readonly slot: number
  readonly clock: Clock
  readonly statistics: SlotStatistics
  readonly limit?: number | undefined
}

/** The jobs of one slot: one at a time, in order of arrival, with a bound. An idle job runs when no other waits. */
export class RequestQueue {
  readonly #limit: number
  readonly #waiting: WaitingJob[] = []
  readonly #first: WaitingJob[] = []
  readonly #idle: WaitingJob[] = []
  readonly #job: StallTimer
  /** Jobs ahead of the others since one of these ran. */
  #inARow = 0
  #closed: Error | undefined

  constructor(private readonly options: RequestQueueOptions) {
    this.#limit = options.limit ?? MAX_WAITING_JOBS
    this.#job = new StallTimer(options.clock, MAX_JOB_MS)
  }

  /** How many seconds the current job has been stuck; undefined if it is not. */
  get stuckSeconds(): number | undefined {
    return this.#job.stuckSeconds
  }

  /** Number of waiting jobs, without the idle job. */
  get length(): number {
    return this.#first.length + this.#waiting.length
  }

  /** Runs `job` after all earlier ones, and after later ones of `addFirst`. Rejects with `queueFull` at once if too many wait. */
  add<Result>(job: () => Promise<Result>, waiting?: Waiting): Promise<Result> {
    if (this.#job.running && this.#waiting.length >= this.#limit && this.#closed === undefined) {
      return this.#refuse(this.#limit)
    }
    return this.#add(this.#waiting, job, waiting)
  }

  /**
   * Runs `job` before all waiting ones, whatever their number. It may call `endOvertaken`: then the writes that waited when it came fail with
   * `requestOvertaken`. Rejects with `queueFull` at once if `limit` such jobs wait.
   */
  addFirst<Result>(
    job: (endOvertaken: () => void) => Promise<Result>,
    limit = Number.POSITIVE_INFINITY,
    waiting?: Waiting,
  ): Promise<Result> {
    if (this.#first.length >= limit) return this.#refuse(limit)
    const writes = this.#waiting.filter(({ isWrite }) => isWrite)
    return this.#add(this.#first, () => job(() => this.#overtake(writes)), waiting)
  }

  #overtake(writes: readonly WaitingJob[]): void {
    const error = coreErrors.requestOvertaken({ slot: this.options.slot })
    for (const write of writes) {
      const index = this.#waiting.indexOf(write)
      if (index >= 0) this.#waiting.splice(index, 1)[0]?.fail(error)
    }
  }

  /** Runs `job` when no other waits, including later ones. Rejects with `queueFull` if there is already such a job. */
  addIdle<Result>(job: () => Promise<Result>): Promise<Result> {
    if (this.#idle.length > 0) return Promise.reject(this.#full(1))
    return this.#add(this.#idle, job)
  }

  #refuse(limit: number): Promise<never> {
    this.options.statistics.refusedJobs++
    return Promise.reject(this.#full(limit))
  }

  #full(limit: number): Error {
    return coreErrors.queueFull({ slot: this.options.slot, limit })
  }

  async #add<Result>(queue: WaitingJob[], job: () => Promise<Result>, waiting?: Waiting): Promise<Result> {
    if (this.#closed !== undefined) throw this.#closed
    if (this.#job.running) {
      await new Promise<void>((start, fail) => {
        queue.push({ ...waiting, start, fail })
        waiting?.onWait?.()
      })
    } else this.#job.begin()
    try {
      return await job()
    } finally {
      this.#next()
    }
  }

  /** Fails every waiting and later job with `error`. The running job ends normally. */
  close(error: Error): void {
    this.#closed = error
    for (const job of [...this.#first.splice(0), ...this.#waiting.splice(0), ...this.#idle.splice(0)]) job.fail(error)
  }

  #next(): void {
    this.#job.end()
    const mayGoAhead = this.#inARow < MAX_JOBS_AHEAD || this.#waiting.length === 0
    const ahead = mayGoAhead ? this.#first.shift() : undefined
    this.#inARow = ahead === undefined ? 0 : this.#inARow + 1
    const next = ahead ?? this.#waiting.shift() ?? this.#idle.shift()
    if (next === undefined) return
    // It runs from now on: no other job can get in between.
    this.#job.begin()
    next.start()
  }
}
