import type { Clock, ManualClock } from '@slotwire/core'
import { nextTurn } from '@slotwire/core'

/** How a scenario lets the twin's time pass. Every method rejects with the reason of the signal as soon as it is aborted. */
export interface Pacer {
  /** Resolves when the twin's clock shows `atMs`; at once when it does already. */
  waitUntil(atMs: number, signal?: AbortSignal): Promise<void>
  /** Lets time pass until the work is settled, and gives its outcome; `undefined` when it is not settled at `untilMs`. */
  settle<Result>(work: Promise<Result>, untilMs: number, signal?: AbortSignal): Promise<{ readonly result: Result } | undefined>
  /** Says that work goes on while time passes otherwise. */
  accompany(work: Promise<unknown>): void
}

/** A manual clock moves so far at most before the signal is looked at again. */
const LONGEST_HOP_MS = 1000
/** What is ready may need so many turns of the event loop until it has done what it does without time: a request through all layers. */
const TURNS_PER_MOMENT = 24
/** Before the rest of a deadline is given up for work that no timer drives: it may read a file. */
const TURNS_WITHOUT_TIMER = 2000

type StandingClock = Pick<ManualClock, 'now' | 'advance' | 'nextDue'>

/** As fast as the machine allows: the twin's clock hops from timer to timer. Nothing else may move it meanwhile. */
export function asFastAsPossible(clock: StandingClock): Pacer {
  return new HoppingPacer(clock)
}

/** At the pace of the twin's clock, which something else moves. */
export function inRealTime(clock: Clock): Pacer {
  return {
    waitUntil: (atMs, signal) => clock.sleep(Math.max(0, atMs - clock.now()), signal),
    settle: async (work, untilMs, signal) => {
      const over = new AbortController()
      const limit = clock.sleep(Math.max(0, untilMs - clock.now()), either(over.signal, signal))
      try {
        return await Promise.race([work.then((result) => ({ result })), limit.then(() => undefined)])
      } finally {
        over.abort()
        limit.catch(() => undefined)
      }
    },
    accompany: () => undefined,
  }
}

function either(own: AbortSignal, other: AbortSignal | undefined): AbortSignal {
  return other === undefined ? own : AbortSignal.any([own, other])
}

class HoppingPacer implements Pacer {
  readonly #clock: StandingClock
  /** Work that goes on: while there is some, time stops at every timer until nothing happens any more. */
  #accompanied = 0

  constructor(clock: StandingClock) {
    this.#clock = clock
  }

  async waitUntil(atMs: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted()
    while (this.#clock.now() < atMs) {
      if (this.#accompanied > 0) await this.#turns(TURNS_PER_MOMENT, () => false)
      await this.#hop(atMs)
      signal?.throwIfAborted()
    }
  }

  async settle<Result>(
    work: Promise<Result>,
    untilMs: number,
    signal?: AbortSignal,
  ): Promise<{ readonly result: Result } | undefined> {
    let isSettled = false
    const settled = work.then(
      () => (isSettled = true),
      () => (isSettled = true),
    )
    for (;;) {
      signal?.throwIfAborted()
      const isDriven = (this.#clock.nextDue ?? Number.POSITIVE_INFINITY) <= untilMs
      await this.#turns(isDriven ? TURNS_PER_MOMENT : TURNS_WITHOUT_TIMER, () => isSettled)
      if (isSettled) {
        await settled
        return { result: await work }
      }
      if (this.#clock.now() >= untilMs) return undefined
      await this.#hopToNext(untilMs)
    }
  }

  accompany(work: Promise<unknown>): void {
    this.#accompanied++
    const over = (): void => {
      this.#accompanied--
    }
    work.then(over, over)
  }

  async #turns(most: number, isOver: () => boolean): Promise<void> {
    for (let turn = 0; turn < most && !isOver(); turn++) await nextTurn()
  }

  /** Towards `atMs`: to the next timer while work goes on, in large hops otherwise. */
  async #hop(atMs: number): Promise<void> {
    if (this.#accompanied > 0) await this.#hopToNext(atMs)
    else await this.#clock.advance(Math.min(atMs - this.#clock.now(), LONGEST_HOP_MS))
  }

  async #hopToNext(atMs: number): Promise<void> {
    const target = Math.min(this.#clock.nextDue ?? Number.POSITIVE_INFINITY, atMs)
    await this.#clock.advance(Math.max(0, target - this.#clock.now()))
  }
}
