import type { Clock } from '@slotwire/core'

/** Why nobody is let in any more: so many wait already. */
export class QueueFull extends Error {
  override readonly name = 'QueueFull'
}

/** Lets one at a time in, in order of arrival. Who gives up waiting leaves no trace. */
export class DanceQueue {
  readonly #limit: number
  readonly #waiting: (() => void)[] = []
  readonly #clock: Clock
  /** Since when somebody has the turn. */
  #takenAt: number | undefined

  /** `limit`: how many may wait. */
  constructor(limit: number, clock: Clock) {
    this.#limit = limit
    this.#clock = clock
  }

  /** For how long the present turn has been taken, in milliseconds; 0 while it is nobody's. */
  takenForMs(): number {
    return this.#takenAt === undefined ? 0 : this.#clock.now() - this.#takenAt
  }

  /** Resolves at the caller's turn, with what ends it. Rejects with `QueueFull`, or with the signal's reason once it is aborted. */
  async take(signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted()
    if (this.#takenAt !== undefined) await this.#wait(signal)
    this.#takenAt = this.#clock.now()
    return () => this.#pass()
  }

  #wait(signal: AbortSignal): Promise<void> {
    if (this.#waiting.length >= this.#limit) throw new QueueFull(`${this.#limit} wait already`)
    return new Promise((resolve, reject) => {
      const enter = (): void => {
        signal.removeEventListener('abort', leave)
        resolve()
      }
      const leave = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(enter), 1)
        reject(signal.reason as Error)
      }
      signal.addEventListener('abort', leave, { once: true })
      this.#waiting.push(enter)
    })
  }

  /** Nobody gets in between: it stays taken from one to the next. */
  #pass(): void {
    const next = this.#waiting.shift()
    if (next === undefined) this.#takenAt = undefined
    else next()
  }
}
