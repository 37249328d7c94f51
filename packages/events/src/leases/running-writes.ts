import type { Reach } from '@slotwire/contract'

interface RunningWrite {
  readonly slot: number
  readonly reach?: Reach | undefined
  readonly result: Promise<unknown>
}

/** The writes whose jobs run at the moment. */
export class RunningWrites {
  readonly #running = new Set<RunningWrite>()

  /** Counts a write as running until its result is there. */
  add<Result>({ slot, reach }: Omit<RunningWrite, 'result'>, result: Promise<Result>): Promise<Result> {
    const write = { slot, reach, result }
    const end = (): void => {
      this.#running.delete(write)
    }
    this.#running.add(write)
    result.then(end, end)
    return result
  }

  /** Resolves when all writes to these slots, or to the whole device, that run now have ended. */
  async ended(slots: readonly number[]): Promise<void> {
    const concerned = [...this.#running].filter(({ slot, reach }) => reach === 'device' || slots.includes(slot))
    await Promise.allSettled(concerned.map(({ result }) => result))
  }
}
