import type { Clock, Log, Timer } from '@slotwire/core'
import type { Served } from '../serve/serve-device.ts'
import type { Notifier, ServiceState } from './notifier.ts'

const MICROSECONDS_PER_MS = 1000
/** Fraction of the watchdog timeout. sd_watchdog_enabled(3) advises half; with a quarter, two notifications in a row may fail. */
const SHARE = 0.25

export interface WatchdogOptions {
  /** Time between two checks, in milliseconds. */
  readonly intervalMs: number
  readonly served: Pick<Served, 'stuck' | 'status'>
  readonly notifier: Pick<Notifier, 'notify' | 'busy'>
  readonly clock: Clock
  readonly log: Log
}

/** Interval between watchdog notifications, in milliseconds. Undefined: no watchdog for this process. */
export function watchdogIntervalMs(environment: NodeJS.ProcessEnv, pid: number): number | undefined {
  const { WATCHDOG_USEC: limit = '', WATCHDOG_PID: whose } = environment
  if (whose !== undefined && whose !== String(pid)) return undefined
  if (!/^\d+$/.test(limit) || Number(limit) === 0) return undefined
  return (Number(limit) / MICROSECONDS_PER_MS) * SHARE
}

/** Feeds systemd's watchdog on a timer while the service makes progress. A blocked event loop sends no keep-alive. */
export class Watchdog {
  readonly #options: WatchdogOptions
  #timer: Timer | undefined
  #stuck = false
  #status: string

  constructor(options: WatchdogOptions) {
    this.#options = options
    this.#status = options.served.status()
  }

  start(): void {
    this.#timer = this.#options.clock.after(this.#options.intervalMs, () => {
      this.start()
      this.#check()
    })
  }

  stop(): void {
    this.#timer?.cancel()
  }

  #check(): void {
    const { served, log, notifier } = this.#options
    const stuck = served.stuck()
    if (stuck !== undefined && !this.#stuck) log.error({ reason: stuck }, 'no progress: the watchdog is not fed until there is')
    if (stuck === undefined && this.#stuck) log.info({}, 'there is progress again: the watchdog is fed')
    this.#stuck = stuck !== undefined
    // Queued notifications would be sent even after this service got stuck.
    if (notifier.busy) return
    const changed = this.#changedStatus(stuck ?? served.status())
    if (stuck === undefined) void notifier.notify({ WATCHDOG: '1', ...changed })
    else if (changed !== undefined) void notifier.notify(changed)
  }

  #changedStatus(status: string): ServiceState | undefined {
    if (status === this.#status) return undefined
    this.#status = status
    return { STATUS: status }
  }
}
