import type { Socket } from 'node:net'
import type { Clock } from '@slotwire/core'
import { MessageError } from './message-fields.ts'
import { MessageReader } from './message-reader.ts'

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

interface Waiting {
  readonly resolve: (body: Buffer) => void
  readonly reject: (error: Error) => void
}

/** Messages over a socket, one at a time in turns: what comes while nobody waits for it ends the connection. Its owner ends it in any case. */
export class MessageConnection {
  readonly #socket: Socket
  readonly #clock: Clock
  readonly #reader = new MessageReader()
  readonly #gone = new AbortController()
  #waiting: Waiting | undefined
  #failure: ConnectionFailure | undefined
  #heard = false

  constructor(socket: Socket, clock: Clock) {
    this.#socket = socket
    this.#clock = clock
    socket.on('data', (chunk: Buffer) => this.#take(chunk))
    socket.on('error', (error: NodeJS.ErrnoException) => {
      const problem = error.syscall === 'connect' ? 'unreachable' : 'closed'
      this.#end(new ConnectionFailure(problem, error.code ?? error.message, { cause: error }))
    })
    const closed = (): void => this.#settle(new ConnectionFailure('closed', this.#reader.received))
    socket.on('end', closed)
    socket.on('close', closed)
  }

  /** Aborted, with the `ConnectionFailure`, as soon as the connection is of no use. */
  get gone(): AbortSignal {
    return this.#gone.signal
  }

  /** Whether it has come to its end already. */
  get failure(): ConnectionFailure | undefined {
    return this.#failure
  }

  /** Whether a whole message has come. */
  get heard(): boolean {
    return this.#heard
  }

  /** The next message's body. Rejects with `ConnectionFailure`; one that is late cuts the connection. */
  receive(deadlineMs: number): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      if (this.#failure !== undefined) {
        reject(this.#failure)
        return
      }
      const timer = this.#clock.after(deadlineMs, () =>
        this.#end(new ConnectionFailure('late', `${this.#reader.received} within ${deadlineMs} ms`)),
      )
      this.#waiting = {
        resolve: (body) => {
          timer.cancel()
          resolve(body)
        },
        reject: (error) => {
          timer.cancel()
          reject(error)
        },
      }
    })
  }

  /** Writes a message's bytes; that they do not arrive shows when the answer does not come. */
  send(bytes: Uint8Array): void {
    if (this.#failure === undefined) this.#socket.write(bytes)
  }

  /** Says the last word, and closes: the peer has it in its buffer then. Also to one that has said its own, or something senseless. */
  finish(bytes: Uint8Array): void {
    if (this.#socket.writable) this.#socket.end(bytes, () => this.#socket.destroy())
    this.#settle(new ConnectionFailure('over', 'the last word has been said'))
  }

  /** Cuts it. */
  close(): void {
    this.#end(new ConnectionFailure('over', 'it was cut on this side'))
  }

  #take(chunk: Buffer): void {
    if (this.#failure !== undefined) return
    try {
      for (const body of this.#reader.push(chunk)) {
        const waiting = this.#waiting
        this.#waiting = undefined
        if (waiting === undefined) throw new MessageError('a message came that nobody had asked for')
        this.#heard = true
        waiting.resolve(body)
      }
    } catch (error) {
      // The rest is not wanted.
      this.#socket.pause()
      this.#settle(new ConnectionFailure('senseless', error instanceof Error ? error.message : String(error), { cause: error }))
    }
  }

  #end(failure: ConnectionFailure): void {
    this.#settle(failure)
    this.#socket.destroy()
  }

  #settle(failure: ConnectionFailure): void {
    if (this.#failure !== undefined) return
    this.#failure = failure
    const waiting = this.#waiting
    this.#waiting = undefined
    waiting?.reject(failure)
    this.#gone.abort(failure)
  }
}
