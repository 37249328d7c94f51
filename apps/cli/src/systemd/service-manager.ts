import { type Clock, type Log, monotonicMicroseconds, type Timer } from '@slotwire/core'
import type { RunningServer } from '../serve/serve-device.ts'
import { Notifier, type RunProgram, runProgram, type ServiceState } from './notifier.ts'

export interface ServiceManagerOptions {
  readonly environment: NodeJS.ProcessEnv
  readonly pid: number
  readonly clock: Clock
  readonly log: Log
  readonly run?: RunProgram
}

/** systemd, if it started this process and wants notifications. */
export interface ServiceManager {
  /** The server is ready. From now on, feeds the watchdog while it makes progress. */
  ready(served: Pick<RunningServer, 'stuck' | 'status'>): void
  /** Runs `reload` and reports it as a reload; rejects if it does. */
  reloading(reload: () => Promise<void>): Promise<void>
  /** The server is about to stop. */
  stopping(): void
}

const noServiceManager: ServiceManager = { ready: () => undefined, reloading: (reload) => reload(), stopping: () => undefined }

/** Does nothing if no service manager asked for notifications. */
export function serviceManager(options: ServiceManagerOptions): ServiceManager {
  const { environment, pid, clock, log, run = runProgram } = options
  if ((environment['NOTIFY_SOCKET'] ?? '') === '') return noServiceManager
  const notifier = new Notifier({ environment, clock, log, run })
  const intervalMs = watchdogIntervalMs(environment, pid)
  let watchdog: ServiceWatchdog | undefined
  return {
    ready: (served) => {
      void notifier.notify({ READY: '1', STATUS: served.status() })
      if (intervalMs === undefined) return
      watchdog = new ServiceWatchdog({ intervalMs, served, notifier, clock, log })
      watchdog.start()
    },
    reloading: async (reload) => {
      void notifier.notify({ RELOADING: '1', MONOTONIC_USEC: String(monotonicMicroseconds()) })
      try {
        await reload()
      } finally {
        await notifier.notify({ READY: '1' })
      }
    },
    stopping: () => {
      watchdog?.stop()
      void notifier.notify({ STOPPING: '1' })
    },
  }
}

const MICROSECONDS_PER_MS = 1000
/** Fraction of the watchdog timeout. sd_watchdog_enabled(3) advises half; with a quarter, two notifications in a row may fail. */
const SHARE = 0.25

interface WatchdogOptions {
  /** Time between two checks, in milliseconds. */
  readonly intervalMs: number
  readonly served: Pick<RunningServer, 'stuck' | 'status'>
  readonly notifier: Pick<Notifier, 'notify' | 'busy'>
  readonly clock: Clock
  readonly log: Log
}

/** Interval between watchdog notifications, in milliseconds. Undefined: no watchdog for this process. */
function watchdogIntervalMs(environment: NodeJS.ProcessEnv, pid: number): number | undefined {
  const { WATCHDOG_USEC: limit = '', WATCHDOG_PID: whose } = environment
  if (whose !== undefined && whose !== String(pid)) return undefined
  if (!/^\d+$/.test(limit) || Number(limit) === 0) return undefined
  return (Number(limit) / MICROSECONDS_PER_MS) * SHARE
}

/** Feeds systemd's watchdog on a timer while the service makes progress. A blocked event loop sends no keep-alive. */
class ServiceWatchdog {
  #timer: Timer | undefined
  #stuck = false
  #status: string

  constructor(private readonly options: WatchdogOptions) {
    this.#status = options.served.status()
  }

  start(): void {
    this.#timer = this.options.clock.after(this.options.intervalMs, () => {
      this.start()
      this.#check()
    })
  }

  stop(): void {
    this.#timer?.cancel()
  }

  #check(): void {
    const { served, log, notifier } = this.options
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
