import type { Clock, Timer } from '@slotwire/core'
import { ChildProgram } from './child-program.ts'
import { ChildEnded, InterpreterMissing } from './kernel-files.ts'
import { decodeReaderAnswer, encodeReaderRequest, type ReaderAnswer, type ReaderRequest } from './reader-messages.ts'

/** Beside this file. */
const PROGRAM = new URL('./reader.pl', import.meta.url)
/** How many processes may end instead of answering before a request fails. */
const MAX_ATTEMPTS = 3

/** Longest wait for a killed process, in milliseconds. Then it is left behind and another is started: it must not delay the other slots. */
export const READER_END_MS = 2000

interface Pending {
  readonly request: ReaderRequest
  readonly resolve: (answer: ReaderAnswer) => void
  readonly reject: (error: Error) => void
  readonly onPart: (answer: ReaderAnswer) => void
  /** Processes that ended before they answered. */
  failures: number
}

/** The process that reads `/sys`. If it ends, another one starts and the pending requests are repeated. */
export class ReaderProcess {
  readonly #pending = new Map<number, Pending>()
  /** Killed, but not ended yet. */
  readonly #leftBehind = new Set<ChildProgram>()
  #child: ChildProgram | undefined
  /** Killed because of one aborted request. This is no failure of the others. */
  #abandoned: ChildProgram | undefined
  #lastId = 0
  #closed = false

  constructor(private readonly clock: Clock) {}

  /** The process, and those that were left behind. */
  get children(): readonly ChildProgram[] {
    return [...(this.#child === undefined ? [] : [this.#child]), ...this.#leftBehind]
  }

  /**
   * Rejects with `ChildEnded` if no process lives long enough to answer. Abort rejects at once: the blocked process is killed, and its
   * successor repeats all other requests.
   */
  async ask(
    request: ReaderRequest,
    signal?: AbortSignal,
    onPart: (answer: ReaderAnswer) => void = () => undefined,
  ): Promise<ReaderAnswer> {
    const id = ++this.#lastId
    const answer = new Promise<ReaderAnswer>((resolve, reject) => {
      const pending = { request, resolve, reject, onPart, failures: 0 }
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
    const limit: Timer = this.clock.after(READER_END_MS, () => {
      this.#leftBehind.add(child)
      this.#onEnd(child)
    })
    void child.ended.then(() => {
      limit.cancel()
      this.#leftBehind.delete(child)
    })
  }

  async close(): Promise<void> {
    this.#closed = true
    for (const [id, pending] of this.#pending) this.#fail(id, pending)
    this.#child?.kill()
    await Promise.all(this.children.map(({ ended }) => ended))
  }

  #send(id: number, { request }: Pending): void {
    const child = this.#child ?? this.#start()
    child.send(encodeReaderRequest(id, request))
  }

  #start(): ChildProgram {
    const child = new ChildProgram(PROGRAM, (message) => this.#onAnswer(decodeReaderAnswer(message)))
    this.#child = child
    void child.ended.then(() => this.#onEnd(child))
    return child
  }

  #onAnswer(answer: ReaderAnswer): void {
    const pending = this.#pending.get(answer.id)
    if (pending !== undefined && answer.isPart) {
      pending.failures = 0
      pending.onPart(answer)
      return
    }
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
      if (pending.failures < MAX_ATTEMPTS) this.#send(id, pending)
      else this.#fail(id, pending, child.missing)
    }
  }

  #fail(id: number, pending: Pending, missing = false): void {
    this.#pending.delete(id)
    const what = 'the process that reads /sys'
    pending.reject(missing ? new InterpreterMissing(what) : new ChildEnded(`${what} has ended, or could not be started`))
  }
}
