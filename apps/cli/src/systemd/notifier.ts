import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Clock, Log } from '@slotwire/core'
import { codeOf } from '@slotwire/core'

/** Part of systemd. The runtime has no datagram sockets of its own; decision 0217. */
const PROGRAM = 'systemd-notify'
/** Longest that telling one thing may take, in milliseconds: the program waits until systemd has read it. */
export const NOTIFY_DEADLINE_MS = 5000
/** How often the program is started for one thing: it may fail because there are no processes or no memory left for a moment. */
const ATTEMPTS = 3
const PAUSE_MS = 500

/** What a program may say at most, in bytes. */
const MAX_OUTPUT = 64 * 1024

export interface RunOptions {
  readonly environment: NodeJS.ProcessEnv
  /** Aborted, the program is killed. */
  readonly signal: AbortSignal
}

/** Runs a program to its end. Rejects when it cannot be started, does not succeed, or is given up; the message has what it said. */
export type RunProgram = (command: string, args: readonly string[], options: RunOptions) => Promise<void>

export const runProgram: RunProgram = async (command, args, { environment, signal }) => {
  await promisify(execFile)(command, args, { env: environment, signal, killSignal: 'SIGKILL', maxBuffer: MAX_OUTPUT })
}

/** What systemd is told at once: `READY`, `STATUS`, `WATCHDOG`…; see sd_notify(3). */
export type ServiceState = Readonly<Record<string, string>>

export interface NotifierOptions {
  /** Has `NOTIFY_SOCKET`. */
  readonly environment: NodeJS.ProcessEnv
  readonly clock: Clock
  readonly log: Log
  readonly run: RunProgram
}

/** Tells systemd how this service is: one call after the other, in order. */
export class Notifier {
  readonly #options: NotifierOptions
  #last: Promise<void> = Promise.resolve()
  #waiting = 0
  #failing = false

  constructor(options: NotifierOptions) {
    this.#options = options
  }

  /** Whether it is still being told something. */
  get busy(): boolean {
    return this.#waiting > 0
  }

  /** Resolves when systemd has been told, or could not be; never rejects: the log says so, once. */
  tell(state: ServiceState): Promise<void> {
    this.#waiting++
    this.#last = this.#last.then(() => this.#tell(state))
    return this.#last
  }

  async #tell(state: ServiceState): Promise<void> {
    const { clock, environment, run } = this.#options
    const { NOTIFY_SOCKET, PATH } = environment
    const abort = new AbortController()
    const deadline = clock.after(NOTIFY_DEADLINE_MS, () => abort.abort())
    const fields = Object.entries(state).map(([name, value]) => `${name}=${value}`)
    const call = (): Promise<void> => run(PROGRAM, fields, { environment: { NOTIFY_SOCKET, PATH }, signal: abort.signal })
    try {
      await this.#persistently(call, abort.signal)
      this.#failing = false
    } catch (error) {
      this.#onFailure(abort.signal.aborted ? new Error(`no end within ${NOTIFY_DEADLINE_MS} ms`) : error)
    } finally {
      deadline.cancel()
      this.#waiting--
    }
  }

  /** Calls until it succeeds, as often as may be. */
  async #persistently(call: () => Promise<void>, signal: AbortSignal): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await call()
      } catch (error) {
        if (attempt === ATTEMPTS || signal.aborted || codeOf(error) === 'ENOENT') throw error
      }
      await this.#options.clock.sleep(PAUSE_MS, signal)
    }
  }

  #onFailure(error: unknown): void {
    if (this.#failing) return
    this.#failing = true
    const reason = error instanceof Error ? error.message : String(error)
    this.#options.log.warn(
      { reason },
      codeOf(error) === 'ENOENT'
        ? `systemd cannot be told of this service, and will take it for one that hangs: the program ${PROGRAM} is not there`
        : `systemd could not be told of this service, and may take it for one that hangs: ${PROGRAM} failed`,
    )
  }
}
