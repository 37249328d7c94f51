import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Clock, Log } from '@slotwire/core'
import { codeOf, messageOf } from '@slotwire/core'

/** Part of systemd. Node.js has no Unix datagram sockets; decision 0217. */
const PROGRAM = 'systemd-notify'
/** Longest time for one notification, in milliseconds: the program waits until systemd has read it. */
export const NOTIFY_DEADLINE_MS = 5000
/** Attempts for one notification. A start of the program can fail while processes or memory are short. */
const ATTEMPTS = 3
const PAUSE_MS = 500

/** Longest output of a program, in bytes. */
const MAX_OUTPUT = 64 * 1024

export interface ProgramOptions {
  readonly environment: NodeJS.ProcessEnv
  /** Aborting kills the program. */
  readonly signal: AbortSignal
}

/** Runs a program to its end. Rejects if it cannot start, fails or is aborted; the message contains its output. */
export type RunProgram = (command: string, args: readonly string[], options: ProgramOptions) => Promise<void>

export const runProgram: RunProgram = async (command, args, { environment, signal }) => {
  await promisify(execFile)(command, args, { env: environment, signal, killSignal: 'SIGKILL', maxBuffer: MAX_OUTPUT })
}

/** Fields of one notification: `READY`, `STATUS`, `WATCHDOG`…; see sd_notify(3). */
export type ServiceState = Readonly<Record<string, string>>

export interface NotifierOptions {
  /** Contains `NOTIFY_SOCKET`. */
  readonly environment: NodeJS.ProcessEnv
  readonly clock: Clock
  readonly log: Log
  readonly run: RunProgram
}

/** Notifies systemd of this service's state: one call after the other, in order. */
export class Notifier {
  #last: Promise<void> = Promise.resolve()
  #waiting = 0
  #failing = false

  constructor(private readonly options: NotifierOptions) {}

  /** Whether a notification is still in progress. */
  get busy(): boolean {
    return this.#waiting > 0
  }

  /** Resolves when systemd has the notification, or after a failure, which it logs once. Never rejects. */
  notify(state: ServiceState): Promise<void> {
    this.#waiting++
    this.#last = this.#last.then(() => this.#tell(state))
    return this.#last
  }

  async #tell(state: ServiceState): Promise<void> {
    const { clock, environment, run } = this.options
    const { NOTIFY_SOCKET, PATH } = environment
    const abort = new AbortController()
    const deadline = clock.after(NOTIFY_DEADLINE_MS, () => abort.abort())
    const fields = Object.entries(state).map(([name, value]) => `${name}=${value}`)
    const call = (): Promise<void> => run(PROGRAM, fields, { environment: { NOTIFY_SOCKET, PATH }, signal: abort.signal })
    try {
      await this.#withRetries(call, abort.signal)
      this.#failing = false
    } catch (error) {
      this.#onFailure(abort.signal.aborted ? new Error(`did not end within ${NOTIFY_DEADLINE_MS} ms`) : error)
    } finally {
      deadline.cancel()
      this.#waiting--
    }
  }

  /** Retries up to `ATTEMPTS` times. */
  async #withRetries(call: () => Promise<void>, signal: AbortSignal): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await call()
      } catch (error) {
        if (attempt === ATTEMPTS || signal.aborted || codeOf(error) === 'ENOENT') throw error
      }
      await this.options.clock.sleep(PAUSE_MS, signal)
    }
  }

  #onFailure(error: unknown): void {
    if (this.#failing) return
    this.#failing = true
    const reason = messageOf(error)
    this.options.log.warn(
      { reason },
      codeOf(error) === 'ENOENT'
        ? `cannot notify systemd, which will treat this service as hung: the program ${PROGRAM} is not installed`
        : `could not notify systemd, which may treat this service as hung: ${PROGRAM} failed`,
    )
  }
}
