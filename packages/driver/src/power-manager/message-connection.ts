import type { Socket } from 'node:net'
import type { Clock } from '@slotwire/core'
import { MessageReader } from './message-reader.ts'
import { MessageError } from './messages.ts'

/** Why a connection came to its end; `over`: this side had said all that it had to say. */
export type ConnectionProblem = 'unreachable' | 'late' | 'closed' | 'senseless' | 'over'

/** A connection that is of no use any more. The message tells people the details. */
export class ConnectionFailure extends Error {
  override readonly name = 'ConnectionFailure'
  readonly problem: ConnectionProblem

  constructor(problem: ConnectionProblem, message: string, options?: ErrorOptions) {
    super(message, options)
    this.problem = problem
  }
}

/** Messages over a socket, one at a time in turns: what comes while nobody waits for it ends the connection. Its owner ends it in any case. */
export class MessageConnection {
  readonly #socket: Socket
  readonly #clock: Clock
  readonly #reader = new MessageReader()
  readonly #gone = new AbortController()
  /** Aborted, with the `ConnectionFailure`, as soon as the connection is of no use. */
  readonly gone: AbortSignal = this.#gone.signal
  #waiting: ((body: Buffer) => void) | undefined
  #heard = false

  constructor(socket: Socket, clock: Clock) {
    this.#socket = socket
    this.#clock = clock
    socket.on('data', (chunk: Buffer) => this.#take(chunk))
    socket.on('error', (error: NodeJS.ErrnoException) => {
      const problem = error.syscall === 'connect' ? 'unreachable' : 'closed'
      this.#end(new ConnectionFailure(problem, error.code ?? error.message, { cause: error }))
    })
    const closed = (): void => this.#gone.abort(new ConnectionFailure('closed', this.#reader.received))
    socket.on('end', closed)
    socket.on('close', closed)
  }

  /** Whether a whole message has come. */
  get heard(): boolean {
    return this.#heard
  }

  /** The next message's body. Rejects with `ConnectionFailure`; one that is late cuts the connection. */
  async receive(deadlineMs: number): Promise<Buffer> {
    const late = (): ConnectionFailure => new ConnectionFailure('late', `${this.#reader.received} within ${deadlineMs} ms`)
    const timer = this.#clock.after(deadlineMs, () => this.#end(late()))
    try {
      return await new Promise((resolve, reject) => {
        const fail = (): void => reject(this.gone.reason as Error)
        this.#waiting = resolve
        if (this.gone.aborted) fail()
        else this.gone.addEventListener('abort', fail, { once: true })
      })
    } finally {
      timer.cancel()
    }
  }

  /** Writes a message's bytes; that they do not arrive shows when the answer does not come. */
  send(bytes: Uint8Array): void {
    if (!this.gone.aborted) this.#socket.write(bytes)
  }

  /** Says the last word, and closes: the peer has it in its buffer then. Also to one that has said its own, or something senseless. */
  finish(bytes: Uint8Array): void {
    if (this.#socket.writable) this.#socket.end(bytes, () => this.#socket.destroy())
    this.#gone.abort(new ConnectionFailure('over', 'the last word has been said'))
  }

  /** Cuts it. */
  close(): void {
    this.#end(new ConnectionFailure('over', 'it was cut on this side'))
  }

  #take(chunk: Buffer): void {
    if (this.gone.aborted) return
    try {
      for (const body of this.#reader.push(chunk)) {
        const waiting = this.#waiting
        this.#waiting = undefined
        if (waiting === undefined) throw new MessageError('a message came that nobody had asked for')
        this.#heard = true
        waiting(body)
      }
    } catch (error) {
      // The rest is not wanted.
      this.#socket.pause()
      this.#gone.abort(
        new ConnectionFailure('senseless', error instanceof Error ? error.message : String(error), { cause: error }),
      )
    }
  }

  #end(failure: ConnectionFailure): void {
    this.#gone.abort(failure)
    this.#socket.destroy()
  }
}
