import type { Clock, Timer } from '@slotwire/core'
import { ChildProgram, HEADER_SIZE } from './child-program.ts'
import { ChildEnded } from './kernel-files.ts'
import type { ReaderAnswer, ReaderRequest } from './reader-messages.ts'

const PROGRAM = new URL('./reader-program.mjs', import.meta.url)
/**
 * Size of its thread pool. For each of the eight slots four calls may block: a notification, the descriptor, the power figures and the
 * `rid`. The list of slots and the USB devices also need threads.
 */
const THREADS = 40
/** How many processes may end instead of answering before a request fails. */
const MOST_ATTEMPTS = 3

/** Longest wait for a killed process, in milliseconds. Then it is left behind and another is started: it must not delay the other slots. */
export const READER_END_MS = 2000

interface Pending {
  readonly request: ReaderRequest
  readonly resolve: (answer: ReaderAnswer) => void
  readonly reject: (error: Error) => void
  /** Processes that ended before they answered. */
  failures: number
}

/** The process that reads `/sys`. If it ends, another one starts and the pending requests are repeated. */
export class ReaderProcess {
  readonly #clock: Clock
  readonly #pending = new Map<number, Pending>()
  /** Killed, but not ended yet. */
  readonly #leftBehind = new Set<ChildProgram>()
  #child: ChildProgram | undefined
  /** Killed because of one aborted request. This is no failure of the others. */
  #abandoned: ChildProgram | undefined
  #lastId = 0
  #guarded: readonly number[] = []
  #closed = false

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** The process, and those that were left behind. */
  get children(): readonly ChildProgram[] {
    return [...(this.#child === undefined ? [] : [this.#child]), ...this.#leftBehind]
  }

  /**
   * Rejects with `ChildEnded` if no process lives long enough to answer. Abort rejects at once: the blocked process is killed, and its
   * successor repeats all other requests.
   */
  async ask(request: ReaderRequest, signal?: AbortSignal): Promise<ReaderAnswer> {
    const id = ++this.#lastId
    const answer = new Promise<ReaderAnswer>((resolve, reject) => {
      const pending = { request, resolve, reject, failures: 0 }
      this.#pending.set(id, pending)
      if (this.#closed) this.#fail(id, pending)
      else this.#send(id, pending)
    })
    const abandon = (): void => {
      const pending = this.#pending.get(id)
      if (pending === undefined) return
      this.#fail(id, pending)
      this.replace()
    }
    signal?.addEventListener('abort', abandon)
    try {
      return await answer
    } finally {
      signal?.removeEventListener('abort', abandon)
    }
  }

  /** Kills the process, which does not answer; its successor gets every request. */
  replace(): void {
    const child = this.#child
    if (child === undefined || child === this.#abandoned) return
    this.#abandoned = child
    child.kill()
    const limit: Timer = this.#clock.after(READER_END_MS, () => {
      this.#leftBehind.add(child)
      this.#onEnd(child)
    })
    void child.ended.then(() => {
      limit.cancel()
      this.#leftBehind.delete(child)
    })
  }

  /** Kill these processes when this one ends, in whatever way. A new reader gets the list with its first request. */
  guard(pids: readonly number[]): void {
    this.#guarded = pids
    if (pids.length > 0 || this.#child !== undefined) this.#send(0, { kind: 'guard', pids })
  }

  async close(): Promise<void> {
    this.#closed = true
    for (const [id, pending] of this.#pending) this.#fail(id, pending)
    this.#child?.kill()
    await Promise.all(this.children.map(({ ended }) => ended))
  }

  #send(id: number, what: Pending | { readonly kind: 'guard'; readonly pids: readonly number[] }): void {
    const child = this.#child ?? this.#start()
    const body = Buffer.from(JSON.stringify('request' in what ? { id, ...what.request } : what))
    child.send(Buffer.concat([Buffer.alloc(HEADER_SIZE), body]))
  }

  #start(): ChildProgram {
    const child = new ChildProgram(PROGRAM, {
      environment: { UV_THREADPOOL_SIZE: String(THREADS) },
      onMessage: (message) => this.#onAnswer(JSON.parse(message.toString()) as ReaderAnswer),
    })
    this.#child = child
    if (this.#guarded.length > 0) this.guard(this.#guarded)
    void child.ended.then(() => this.#onEnd(child))
    return child
  }

  #onAnswer(answer: ReaderAnswer): void {
    const pending = this.#pending.get(answer.id)
    this.#pending.delete(answer.id)
    pending?.resolve(answer)
  }

  #onEnd(child: ChildProgram): void {
    if (this.#child !== child) return
    this.#child = undefined
    if (this.#closed) return
    const failed = child === this.#abandoned ? 0 : 1
    for (const [id, pending] of [...this.#pending]) {
      pending.failures += failed
      if (pending.failures < MOST_ATTEMPTS) this.#send(id, pending)
      else this.#fail(id, pending)
    }
  }

  #fail(id: number, pending: Pending): void {
    this.#pending.delete(id)
    pending.reject(new ChildEnded('the process that reads /sys has ended, or could not be started'))
  }
}
