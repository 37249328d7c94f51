import type { Clock, Timer } from '@slotwire/core'
import { ChildProgram, HEADER_SIZE } from './child-program.ts'
import { ChildEnded, type FileContent, InterpreterMissing, KernelFileError } from './kernel-files.ts'

/** Beside this file. */
const PROGRAM = new URL('./reader.pl', import.meta.url)
/** How many processes may end instead of answering before a request fails. */
const MAX_ATTEMPTS = 3

/** Longest wait for a killed process, in milliseconds. Then it is left behind and another is started: it must not delay the other slots. */
export const READER_END_MS = 2000

interface Pending {
  readonly request: ReaderRequest
  readonly resolve: (contents: readonly FileContent[]) => void
  readonly reject: (error: Error) => void
  readonly onPart: (contents: readonly FileContent[]) => void
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
   * The names, or the content or failure of each file. `onPart` gets answers that others follow. Rejects with `ChildEnded` if no process lives long enough to answer. Abort rejects at once: the blocked process is killed, and its
   * successor repeats all other requests.
   */
  async ask(
    request: ReaderRequest,
    signal?: AbortSignal,
    onPart: (contents: readonly FileContent[]) => void = () => undefined,
  ): Promise<readonly FileContent[]> {
    const id = ++this.#lastId
    const answer = new Promise<readonly FileContent[]>((resolve, reject) => {
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
    const child = new ChildProgram(PROGRAM, (message) => this.#onAnswer(message))
    this.#child = child
    void child.ended.then(() => this.#onEnd(child))
    return child
  }

  #onAnswer(message: Buffer): void {
    const id = message.readUInt32BE(0)
    const pending = this.#pending.get(id)
    if (pending === undefined) return
    const contents = contentsIn(message, pending.request.files)
    if (message[NUMBER_SIZE] === PART) {
      pending.failures = 0
      pending.onPart(contents)
      return
    }
    this.#pending.delete(id)
    pending.resolve(contents)
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

/** The numbers of the requests; reader.pl has the same. */
const KINDS = { list: 1, resolve: 2, read: 3, write: 4, follow: 5, watch: 6 } as const

/** A request to the reader process; reader.pl handles it. */
interface ReaderRequest {
  readonly kind: keyof typeof KINDS
  /** Before the files. */
  readonly options?: readonly string[]
  readonly files: readonly string[]
  readonly content?: string
}

const NUMBER_SIZE = 4
const FAILED = 1
const PART = 2

/** The message for a request, with room for the header: its id, its kind, then each text behind its length. */
function encodeReaderRequest(id: number, { kind, options = [], files, content }: ReaderRequest): Buffer {
  const texts = [...options, ...files, ...(content === undefined ? [] : [content])].map((text) => Buffer.from(text))
  const head = Buffer.alloc(HEADER_SIZE + NUMBER_SIZE + 1)
  head.writeUInt32BE(id, HEADER_SIZE)
  head[HEADER_SIZE + NUMBER_SIZE] = KINDS[kind]
  return Buffer.concat([head, ...texts.flatMap((text) => [numberOf(text.length), text])])
}

/**
 * The answer in a message without header: the id, then for each file a status, and its content (or a name) or failure behind its length. A
 * request that failed as a whole has one failure.
 */
function contentsIn(message: Buffer, files: readonly string[]): readonly FileContent[] {
  const contents: FileContent[] = []
  for (let at = NUMBER_SIZE; at < message.length; ) {
    const from = at + 1 + NUMBER_SIZE
    const to = from + message.readUInt32BE(at + 1)
    const syscall = message.toString('latin1', from + NUMBER_SIZE, to)
    if (message[at] !== FAILED) contents.push(message.toString('utf8', from, to))
    else contents.push(new KernelFileError(syscall, message.readUInt32BE(from), files[contents.length] ?? ''))
    at = to
  }
  return contents
}

function numberOf(value: number): Buffer {
  const bytes = Buffer.alloc(NUMBER_SIZE)
  bytes.writeUInt32BE(value)
  return bytes
}
