import { type Clock, type Log, monotonicMicroseconds } from '@slotwire/core'
import type { Served } from '../serve/serve-device.ts'
import { Notifier, type RunProgram, runProgram } from './notifier.ts'
import { Watchdog, watchdogIntervalMs } from './watchdog.ts'

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
  ready(served: Pick<Served, 'stuck' | 'status'>): void
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
  let watchdog: Watchdog | undefined
  return {
    ready: (served) => {
      void notifier.notify({ READY: '1', STATUS: served.status() })
      if (intervalMs === undefined) return
      watchdog = new Watchdog({ intervalMs, served, notifier, clock, log })
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
