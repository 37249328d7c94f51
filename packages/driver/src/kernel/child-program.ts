import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeSync } from 'node:fs'
import { Duplex } from 'node:stream'
import { fileURLToPath } from 'node:url'

/** Bytes of the length that precedes each message, both ways. */
export const HEADER_SIZE = 4
const CHANNEL = 3

export interface ChildProgramOptions {
  /** Its whole environment: what this process was started with is not passed on. */
  readonly environment?: Readonly<Record<string, string>>
  /** Gets each message without its header, good until it returns. */
  readonly onMessage: (message: Buffer) => void
}

/** A program of our own in a process of its own, and messages both ways; it ends when this process does, whatever ends that. */
export class ChildProgram {
  /** Resolves when it has ended, or could not be started; never rejects. */
  readonly ended: Promise<void>
  readonly #child: ChildProcess | undefined
  readonly #channel: Duplex | undefined
  readonly #onMessage: (message: Buffer) => void
  #partial: Buffer | undefined

  constructor(program: URL, options: ChildProgramOptions) {
    this.#onMessage = options.onMessage
    this.#child = start(program, options.environment)
    const channel = this.#child?.stdio?.[CHANNEL]
    if (channel instanceof Duplex) {
      this.#channel = channel
      channel.on('data', (chunk: Buffer) => this.#receive(chunk))
      // A broken channel means that the child has ended, and that is told below.
      channel.on('error', () => undefined)
    }
    this.ended = this.#end()
  }

  /** Undefined: it could not be started. */
  get pid(): number | undefined {
    return this.#child?.pid
  }

  /** `message` begins with `HEADER_SIZE` bytes, which are filled in here. */
  send(message: Buffer): void {
    message.writeUInt32BE(message.length - HEADER_SIZE, 0)
    const channel = this.#channel
    if (channel === undefined || channel.destroyed) return
    const written = channel.writableLength > 0 ? 0 : writeAtOnce(channel, message)
    if (written < message.length) channel.write(message.subarray(written))
  }

  /** Ends it at once; a system call that cannot be interrupted is waited for by the kernel. */
  kill(): void {
    this.#child?.kill('SIGKILL')
    this.#channel?.destroy()
  }

  /** Does not keep this process from ending, though it may still be there. */
  forget(): void {
    this.#child?.unref()
  }

  async #end(): Promise<void> {
    try {
      if (this.#child !== undefined) await once(this.#child, 'exit')
    } catch {
      // It could not be started: that is an end as well.
    }
    this.#channel?.destroy()
  }

  #receive(chunk: Buffer): void {
    let rest = this.#partial === undefined ? chunk : Buffer.concat([this.#partial, chunk])
    while (rest.length >= HEADER_SIZE) {
      const end = HEADER_SIZE + rest.readUInt32BE(0)
      if (rest.length < end) break
      this.#onMessage(rest.subarray(HEADER_SIZE, end))
      rest = rest.subarray(end)
    }
    this.#partial = rest.length === 0 ? undefined : rest
  }
}

/**
 * Bytes that went straight into the socket, which never blocks; the stream has the rest to do. An exchange is a tenth faster without the
 * stream's machinery (decision 0210); a runtime that does not show the descriptor makes do with the stream.
 */
function writeAtOnce(channel: Duplex, message: Buffer): number {
  const handle: unknown = Reflect.get(channel, '_handle')
  const descriptor: unknown = typeof handle === 'object' && handle !== null ? Reflect.get(handle, 'fd') : undefined
  if (typeof descriptor !== 'number' || descriptor < 0) return 0
  try {
    return writeSync(descriptor, message)
  } catch {
    // It is full, or broken: the stream knows what to do.
    return 0
  }
}

/** Undefined: there is no room for another process, or no such program. What is told later is told by an event. */
function start(program: URL, environment: Readonly<Record<string, string>> = {}): ChildProcess | undefined {
  try {
    const stdio: ['ignore', 'ignore', 'inherit', 'pipe'] = ['ignore', 'ignore', 'inherit', 'pipe']
    return spawn(process.execPath, [fileURLToPath(program)], { stdio, env: environment })
  } catch {
    return undefined
  }
}
