import type { Socket } from 'node:net'
import { type Clock, messageOf } from '@slotwire/core'
import { LENGTH_BYTES, MAX_MESSAGE_BYTES, MessageError } from './messages.ts'

/** Why a connection ended. `finished`: this side had sent everything. */
type ConnectionProblem = 'unreachable' | 'late' | 'closed' | 'invalid' | 'finished'

/** A connection that has ended. The message gives people the details. */
export class ConnectionFailure extends Error {
  override readonly name = 'ConnectionFailure'

  constructor(
    readonly problem: ConnectionProblem,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options)
  }
}

/** Messages over a socket, in turns and one at a time. An unexpected message ends the connection. The owner closes it in any case. */
export class MessageConnection {
  readonly #reader = new MessageReader()
  readonly #gone = new AbortController()
  /** Aborted with the `ConnectionFailure` as soon as the connection has ended. */
  readonly gone: AbortSignal = this.#gone.signal
  #waiting: ((body: Buffer) => void) | undefined
  #heard = false

  constructor(
    private readonly socket: Socket,
    private readonly clock: Clock,
  ) {
    socket.on('data', (chunk: Buffer) => this.#take(chunk))
    socket.on('error', (error: NodeJS.ErrnoException) => {
      const problem = error.syscall === 'connect' ? 'unreachable' : 'closed'
      this.#end(new ConnectionFailure(problem, error.code ?? error.message, { cause: error }))
    })
    const closed = (): void => this.#gone.abort(new ConnectionFailure('closed', this.#reader.received))
    socket.on('end', closed)
    socket.on('close', closed)
  }

  /** Whether a complete message has come. */
  get hasMessage(): boolean {
    return this.#heard
  }

  /** Returns the body of the next message. Rejects with `ConnectionFailure`; a late message closes the connection. */
  async receive(deadlineMs: number): Promise<Buffer> {
    const late = (): ConnectionFailure => new ConnectionFailure('late', `${this.#reader.received} within ${deadlineMs} ms`)
    const timer = this.clock.after(deadlineMs, () => this.#end(late()))
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

  /** Writes the bytes of a message. If they do not arrive, no answer comes. */
  send(bytes: Uint8Array): void {
    if (!this.gone.aborted) this.socket.write(bytes)
  }

  /**
   * Sends the last message and closes: the peer has it in its buffer then. Also for a peer that has ended its side or sent something
   * invalid.
   */
  finish(bytes: Uint8Array): void {
    if (this.socket.writable) this.socket.end(bytes, () => this.socket.destroy())
    this.#gone.abort(new ConnectionFailure('finished', 'the last message has been sent'))
  }

  /** Closes the connection at once. */
  close(): void {
    this.#end(new ConnectionFailure('finished', 'closed on this side'))
  }

  #take(chunk: Buffer): void {
    if (this.gone.aborted) return
    try {
      for (const body of this.#reader.push(chunk)) {
        const waiting = this.#waiting
        this.#waiting = undefined
        if (waiting === undefined) throw new MessageError('an unexpected message came')
        this.#heard = true
        waiting(body)
      }
    } catch (error) {
      // Ignore the rest.
      this.socket.pause()
      this.#gone.abort(new ConnectionFailure('invalid', messageOf(error), { cause: error }))
    }
  }

  #end(failure: ConnectionFailure): void {
    this.#gone.abort(failure)
    this.socket.destroy()
  }
}

/** Splits a stream of bytes into message bodies. Never keeps more than one message and what came with it. */
export class MessageReader {
  #bytes: Buffer = Buffer.alloc(0)

  /** The bodies that are complete now. Throws `MessageError` for a length that is not allowed. */
  push(chunk: Uint8Array): readonly Buffer[] {
    this.#bytes = Buffer.concat([this.#bytes, chunk])
    const bodies: Buffer[] = []
    for (let body = this.#next(); body !== undefined; body = this.#next()) bodies.push(body)
    return bodies
  }

  /** How much of the next message has come, as text. */
  get received(): string {
    const count = this.#bytes.length
    if (count === 0) return 'nothing came'
    if (count < LENGTH_BYTES) return `${count} of the ${LENGTH_BYTES} bytes of a length came`
    return `${count - LENGTH_BYTES} of ${this.#bytes.readUInt32LE()} bytes came`
  }

  #next(): Buffer | undefined {
    if (this.#bytes.length < LENGTH_BYTES) return undefined
    const length = this.#bytes.readUInt32LE()
    if (length > MAX_MESSAGE_BYTES)
      throw new MessageError(`it announces ${length} bytes, and at most ${MAX_MESSAGE_BYTES} are allowed`)
    const end = LENGTH_BYTES + length
    if (this.#bytes.length < end) return undefined
    const body = this.#bytes.subarray(LENGTH_BYTES, end)
    this.#bytes = this.#bytes.subarray(end)
    return body
  }
}
