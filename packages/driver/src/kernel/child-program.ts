import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { Socket } from 'node:net'
import { fileURLToPath } from 'node:url'
import { codeOf } from '@slotwire/core'

/** Size of the length in front of each message, in bytes, in both directions. */
export const HEADER_SIZE = 4
const CHANNEL = 3

/** What runs the programs, found in `PATH`. Every Debian has it. */
const INTERPRETER = 'perl'

/** Runs one of our Perl programs in a separate process, with messages in both directions. It ends when this process ends, in whatever way. */
export class ChildProgram {
  /** Resolves when the process and those that it forked have ended, or it could not be started; never rejects. */
  readonly ended: Promise<void>
  readonly #child: ChildProcess | undefined
  readonly #channel: Socket | undefined
  #partial: Buffer | undefined
  #killed = false
  #missing = false

  /** `onMessage` gets each message without its header. The buffer is valid until the callback returns. */
  constructor(
    program: URL,
    private readonly onMessage: (message: Buffer) => void,
  ) {
    this.#child = start(program)
    const channel = this.#child?.stdio?.[CHANNEL]
    if (channel instanceof Socket) {
      this.#channel = channel
      channel.on('data', (chunk: Buffer) => this.#receive(chunk))
      // A broken channel means that the child has ended; `ended` reports that.
      channel.on('error', () => undefined)
    }
    this.ended = this.#end()
  }

  /** Whether it ended because there is no Perl. */
  get missing(): boolean {
    return this.#missing
  }

  /** Undefined if it could not be started. */
  get pid(): number | undefined {
    return this.#child?.pid
  }

  /** `message` begins with `HEADER_SIZE` bytes, which this call fills in. */
  send(message: Buffer): void {
    message.writeUInt32BE(message.length - HEADER_SIZE, 0)
    const channel = this.#channel
    if (channel === undefined || channel.destroyed || this.#killed) return
    channel.write(message)
  }

  /** Kills the process at once. The kernel still waits for a system call that cannot be interrupted. */
  kill(): void {
    this.#killed = true
    this.#child?.kill('SIGKILL')
  }

  /** Lets this process end even if the child has not. */
  unref(): void {
    this.#child?.unref()
    for (const pipe of this.#child?.stdio ?? []) if (pipe instanceof Socket) pipe.unref()
  }

  async #end(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#channel?.once('close', () => resolve()))
    try {
      if (this.#child !== undefined) await once(this.#child, 'exit')
      // A forked process may still be in a system call.
      await closed
    } catch (error) {
      // It could not be started: treat that as an end.
      this.#missing = codeOf(error) === 'ENOENT'
    }
    this.#channel?.destroy()
  }

  #receive(chunk: Buffer): void {
    if (this.#killed) return
    let rest = this.#partial === undefined ? chunk : Buffer.concat([this.#partial, chunk])
    while (rest.length >= HEADER_SIZE) {
      const end = HEADER_SIZE + rest.readUInt32BE(0)
      if (rest.length < end) break
      this.onMessage(rest.subarray(HEADER_SIZE, end))
      rest = rest.subarray(end)
    }
    this.#partial = rest.length === 0 ? undefined : rest
  }
}

/**
 * Undefined if there is no room for another process. Later errors come as an event. Nothing is written to the last pipe: the process ends
 * when that breaks. It inherits no other environment.
 */
function start(program: URL): ChildProcess | undefined {
  try {
    const stdio: ('ignore' | 'inherit' | 'pipe')[] = ['ignore', 'ignore', 'inherit', 'pipe', 'pipe']
    return spawn(INTERPRETER, [fileURLToPath(program)], { stdio, env: { PATH: process.env['PATH'] } })
  } catch {
    return undefined
  }
}
