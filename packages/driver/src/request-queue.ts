import { coreErrors } from '@slotwire/core'

/** Jobs that may wait for one slot, the running one not counted. */
export const QUEUE_LIMIT = 128

interface WaitingJob {
  readonly start: () => void
  readonly fail: (error: Error) => void
}

/** The jobs of one slot: one at a time, in order of arrival, bounded. */
export class RequestQueue {
  readonly #slot: number
  readonly #limit: number
  readonly #waiting: WaitingJob[] = []
  #running = false
  #closed: Error | undefined

  constructor(slot: number, limit = QUEUE_LIMIT) {
    this.#slot = slot
    this.#limit = limit
  }

  /** Runs `job` when all before it are done. Rejects with `queueFull` at once when too many wait. */
  add<Result>(job: () => Promise<Result>): Promise<Result> {
    if (this.#closed !== undefined) return Promise.reject(this.#closed)
    if (this.#running && this.#waiting.length >= this.#limit) {
      return Promise.reject(coreErrors.queueFull({ slot: this.#slot, limit: this.#limit }))
    }
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
      if (this.#running) this.#waiting.push({ start, fail: reject })
      else start()
    })
  }

  /** Fails every waiting job, and every later one, with `error`. The running job ends by itself. */
  close(error: Error): void {
    this.#closed = error
    for (const job of this.#waiting.splice(0)) job.fail(error)
  }

  #next(): void {
    this.#running = false
    this.#waiting.shift()?.start()
  }
}
