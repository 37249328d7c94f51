import { type ExecFileOptions, execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { type Clock, codeOf, type Log, messageOf, monotonicMicroseconds, type Timer } from '@slotwire/core'
import type { RunningServer } from '../serve/serve-device.ts'

/** Part of systemd. Node.js has no Unix datagram sockets; decision 0217. */
const PROGRAM = 'systemd-notify'
/** Longest time for one notification, in milliseconds: the program waits until systemd has read it. */
export const NOTIFY_DEADLINE_MS = 5000
/** Attempts for one notification. A start of the program can fail while processes or memory are short. */
const ATTEMPTS = 3
const PAUSE_MS = 500
const MICROSECONDS_PER_MS = 1000
/** Fraction of the watchdog timeout. sd_watchdog_enabled(3) advises half; with a quarter, two notifications in a row may fail. */
const SHARE = 0.25

export interface ServiceManagerOptions {
  readonly environment: NodeJS.ProcessEnv
  readonly pid: number
  readonly clock: Clock
  readonly log: Log
  /** Runs a program to its end. Rejects if it cannot start, fails or is aborted; the message contains its output. */
  readonly run?: (command: string, words: readonly string[], options: ExecFileOptions) => Promise<unknown>
}

type Served = Pick<RunningServer, 'stuck' | 'status'>

/** systemd, if it started this process and wants notifications: one after the other, in order. Otherwise this does nothing. */
export class ServiceManager {
  #last: Promise<void> = Promise.resolve()
  /** Notifications that are not sent yet. */
  #waiting = 0
  #isFailing = false
  #watchdog: Timer | undefined
  #isStuck = false
  #status = ''

  constructor(private readonly options: ServiceManagerOptions) {}

  /** The server is ready. From now on, feeds the watchdog while it makes progress. A blocked event loop sends no keep-alive. */
  ready(served: Served): void {
    this.#status = served.status()
    void this.#notify({ READY: '1', STATUS: this.#status })
    const intervalMs = this.#watchdogIntervalMs()
    if (intervalMs !== undefined) this.#watch(served, intervalMs)
  }

  /** Runs `reload` and reports it as a reload; rejects if it does. */
  async reloading(reload: () => Promise<void>): Promise<void> {
    void this.#notify({ RELOADING: '1', MONOTONIC_USEC: String(monotonicMicroseconds()) })
    try {
      await reload()
    } finally {
      await this.#notify({ READY: '1' })
    }
  }

  /** The server is about to stop. */
  stopping(): void {
    this.#watchdog?.cancel()
    void this.#notify({ STOPPING: '1' })
  }

  get #isAbsent(): boolean {
    return (this.options.environment['NOTIFY_SOCKET'] ?? '') === ''
  }

  /** Interval between watchdog notifications, in milliseconds. Undefined: no watchdog for this process. */
  #watchdogIntervalMs(): number | undefined {
    const { environment, pid } = this.options
    const { WATCHDOG_USEC: limit = '', WATCHDOG_PID: owner = String(pid) } = environment
    if (this.#isAbsent || owner !== String(pid) || !/^\d+$/.test(limit) || Number(limit) === 0) return undefined
    return (Number(limit) / MICROSECONDS_PER_MS) * SHARE
  }

  #watch(served: Served, intervalMs: number): void {
    this.#watchdog = this.options.clock.after(intervalMs, () => {
      this.#watch(served, intervalMs)
      this.#check(served)
    })
  }

  #check(served: Served): void {
    const { log } = this.options
    const stuck = served.stuck()
    if (stuck !== undefined && !this.#isStuck) log.error({ reason: stuck }, 'no progress: the watchdog is not fed until there is')
    if (stuck === undefined && this.#isStuck) log.info({}, 'there is progress again: the watchdog is fed')
    this.#isStuck = stuck !== undefined
    // Queued notifications would be sent even after this service got stuck.
    if (this.#waiting > 0) return
    const status = stuck ?? served.status()
    const fields = { ...(stuck === undefined && { WATCHDOG: '1' }), ...(status !== this.#status && { STATUS: status }) }
    this.#status = status
    if (Object.keys(fields).length > 0) void this.#notify(fields)
  }

  /**
   * Notifies systemd of these fields: `READY`, `STATUS`, `WATCHDOG`…; see sd_notify(3). Resolves when systemd has them, or after a failure,
   * which it logs once. Never rejects.
   */
  #notify(fields: Readonly<Record<string, string>>): Promise<void> {
    if (this.#isAbsent) return Promise.resolve()
    this.#waiting++
    const words = Object.entries(fields).map(([name, value]) => `${name}=${value}`)
    this.#last = this.#last.then(() => this.#send(words))
    return this.#last
  }

  async #send(words: readonly string[]): Promise<void> {
    const late = new AbortController()
    const reason = new Error(`did not end within ${NOTIFY_DEADLINE_MS} ms`)
    const deadline = this.options.clock.after(NOTIFY_DEADLINE_MS, () => late.abort(reason))
    try {
      await this.#withRetries(words, late.signal)
      this.#isFailing = false
    } catch (error) {
      this.#onFailure(late.signal.aborted ? reason : error)
    } finally {
      deadline.cancel()
      this.#waiting--
    }
  }

  async #withRetries(words: readonly string[], signal: AbortSignal): Promise<void> {
    const { environment, clock, run = promisify(execFile) } = this.options
    const { NOTIFY_SOCKET, PATH } = environment
    for (let attempt = 1; ; attempt++) {
      try {
        await run(PROGRAM, words, { env: { NOTIFY_SOCKET, PATH }, signal, killSignal: 'SIGKILL' })
        return
      } catch (error) {
        if (attempt === ATTEMPTS || signal.aborted || codeOf(error) === 'ENOENT') throw error
      }
      await clock.sleep(PAUSE_MS, signal)
    }
  }

  #onFailure(error: unknown): void {
    if (this.#isFailing) return
    this.#isFailing = true
    const message =
      codeOf(error) === 'ENOENT'
        ? `cannot notify systemd, which will treat this service as hung: the program ${PROGRAM} is not installed`
        : `could not notify systemd, which may treat this service as hung: ${PROGRAM} failed`
    this.options.log.warn({ reason: messageOf(error) }, message)
  }
}
