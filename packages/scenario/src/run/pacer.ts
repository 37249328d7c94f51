import { type Clock, type ManualClock, nextTurn } from '@slotwire/core'

/** Controls how twin time passes during a scenario. Every method rejects with the signal's reason when it is aborted. */
export interface Pacer {
  /** Resolves when the twin's clock has reached `atMs`. */
  waitUntil(atMs: number, signal?: AbortSignal): Promise<void>
  /** Lets time pass until the work has settled, and returns its result; `undefined` if it has not settled at `untilMs`. */
  settle<Result>(work: Promise<Result>, untilMs: number, signal?: AbortSignal): Promise<{ readonly result: Result } | undefined>
  /** Announces work that continues in the background while time passes. */
  addBackground(work: Promise<unknown>): void
}

/** Longest advance of a manual clock between two checks of the signal. */
const MAX_ADVANCE_MS = 1000
/** Turns of the event loop in which work without twin time completes: a request through all layers. */
const TURNS_PER_MOMENT = 24
/** Turns to wait for work without timers, which may read a file, before the deadline counts as reached. */
const TURNS_WITHOUT_TIMER = 2000

type SteppedClock = Pick<ManualClock, 'now' | 'advance' | 'nextDue'>

/** As fast as the machine allows: advances the twin's clock from timer to timer. Nothing else may advance it. */
export function asFastAsPossible(clock: SteppedClock): Pacer {
  return new ManualClockPacer(clock)
}

/** At the pace of the twin's clock, which runs independently. */
export function inRealTime(clock: Clock): Pacer {
  return {
    waitUntil: (atMs, signal) => clock.sleep(Math.max(0, atMs - clock.now()), signal),
    settle: async (work, untilMs, signal) => {
      const over = new AbortController()
      const anyOf = AbortSignal.any([over.signal, ...(signal === undefined ? [] : [signal])])
      const limit = clock.sleep(Math.max(0, untilMs - clock.now()), anyOf)
      try {
        return await Promise.race([work.then((result) => ({ result })), limit.then(() => undefined)])
      } finally {
        over.abort()
        limit.catch(() => undefined)
      }
    },
    addBackground: () => undefined,
  }
}

class ManualClockPacer implements Pacer {
  /** Number of background tasks. While there are any, the clock stops at every timer until the event loop is idle. */
  #backgroundTasks = 0

  constructor(private readonly clock: SteppedClock) {}

  async waitUntil(atMs: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted()
    while (this.clock.now() < atMs) {
      if (this.#backgroundTasks > 0) await this.#turns(TURNS_PER_MOMENT, () => false)
      await this.#advance(atMs)
      signal?.throwIfAborted()
    }
  }

  async settle<Result>(
    work: Promise<Result>,
    untilMs: number,
    signal?: AbortSignal,
  ): Promise<{ readonly result: Result } | undefined> {
    let isSettled = false
    const settle = () => (isSettled = true)
    const settled = work.then(settle, settle)
    for (;;) {
      signal?.throwIfAborted()
      const isDriven = (this.clock.nextDue ?? Number.POSITIVE_INFINITY) <= untilMs
      await this.#turns(isDriven ? TURNS_PER_MOMENT : TURNS_WITHOUT_TIMER, () => isSettled)
      if (isSettled) {
        await settled
        return { result: await work }
      }
      if (this.clock.now() >= untilMs) return undefined
      await this.#advanceToNext(untilMs)
    }
  }

  addBackground(work: Promise<unknown>): void {
    this.#backgroundTasks++
    const over = (): void => {
      this.#backgroundTasks--
    }
    work.then(over, over)
  }

  async #turns(most: number, isOver: () => boolean): Promise<void> {
    for (let turn = 0; turn < most && !isOver(); turn++) await nextTurn()
  }

  /** Advances towards `atMs`: to the next timer while there is background work, otherwise in large steps. */
  async #advance(atMs: number): Promise<void> {
    if (this.#backgroundTasks > 0) await this.#advanceToNext(atMs)
    else await this.clock.advance(Math.min(atMs - this.clock.now(), MAX_ADVANCE_MS))
  }

  async #advanceToNext(atMs: number): Promise<void> {
    const target = Math.min(this.clock.nextDue ?? Number.POSITIVE_INFINITY, atMs)
    await this.clock.advance(Math.max(0, target - this.clock.now()))
  }
}
