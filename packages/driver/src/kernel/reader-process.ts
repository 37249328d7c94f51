import type { Clock, Timer } from '@slotwire/core'
import { ChildProgram, HEADER_SIZE } from './child-program.ts'
import { ChildEnded } from './kernel-files.ts'
import type { ReaderAnswer, ReaderRequest } from './reader-messages.ts'

const PROGRAM = new URL('./reader-program.mjs', import.meta.url)
/**
 * Threads of its pool. Of calls that may never come back there are for each of the eight slots a notification, a descriptor, its figures for
 * the power budget and a `rid`; besides them the list of slots and the USB devices.
 */
const THREADS = 40
/** How often a request is given to a process that ends, of itself, instead of answering. */
const MOST_ATTEMPTS = 3

/**
 * Longest that a killed process is waited for, in milliseconds: what the kernel does not let go of must not keep the other slots from being
 * looked at. It is left behind, and another is started.
 */
export const READER_END_MS = 2000

interface Pending {
  readonly request: ReaderRequest
  readonly resolve: (answer: ReaderAnswer) => void
  readonly reject: (error: Error) => void
  /** Processes that ended of themselves before they answered. */
  failures: number
}

/** The process that reads `/sys`. If it ends there is another, and what was under way is asked anew. */
export class ReaderProcess {
  readonly #clock: Clock
  readonly #pending = new Map<number, Pending>()
  /** Killed, and not ended. */
  readonly #leftBehind = new Set<ChildProgram>()
  #child: ChildProgram | undefined
  /** Killed because of one request: that says nothing about the others. */
  #abandoned: ChildProgram | undefined
  #lastId = 0
  #guarded: readonly number[] = []
  #closed = false

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** The process itself, and those that the kernel does not let go of. */
  get children(): readonly ChildProgram[] {
    return [...(this.#child === undefined ? [] : [this.#child]), ...this.#leftBehind]
  }

  /**
   * Rejects with `ChildEnded` when no process lived long enough to answer. Aborted, it does so at once: the process, whose call does not come
   * back, is killed, and the next one asked for everything else.
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

  /** Kills the process, which does not answer; the next one is asked for everything. */
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

  /** These processes are to be killed when this one has ended in whatever way. A next reader is told when it is asked for something. */
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
