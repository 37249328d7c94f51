import { isatty } from 'node:tty'
import type { Clock, Log } from '@slotwire/core'
import type { RunningServer } from '../serve/serve-device.ts'
import { ServiceManager } from '../systemd/service-manager.ts'
import type { CommandContext } from '../terminal/command-context.ts'
import { standardLog } from '../terminal/standard-log.ts'
import { hint } from '../terminal/standard-streams.ts'
import type { LogOptions } from './option-values.ts'

const STANDARD_INPUT = 0

/** What a server needs from the program that runs it. */
export interface ServerContext {
  /** Prints where it serves. */
  readonly print: (text: string) => void
  readonly clock: Clock
  readonly log: Log
  /** Aborted when the server must stop. During its start, it may skip the rest. */
  readonly stopping: AbortSignal
}

/**
 * Runs a server until a signal stops it. SIGHUP makes it read its settings again. Reports its state to systemd if systemd asks for it.
 * Rejects if the start fails.
 */
export async function untilStopped(
  options: LogOptions,
  { environment, clock, announce }: Pick<CommandContext, 'environment' | 'clock' | 'announce'>,
  start: (context: ServerContext) => Promise<RunningServer>,
): Promise<void> {
  // Listen from the first moment: an unhandled signal would end the process.
  const stop = stopSignal()
  const stopping = new AbortController()
  void stop.then(() => stopping.abort())
  const reload = reloadSignal({
    terminal: () => isatty(STANDARD_INPUT),
    onFailure: (error) => hint(`slotwire: ${String(error)}\n`),
  })
  const log = standardLog(options, environment)
  const manager = new ServiceManager({ environment, clock, log, pid: process.pid })
  const served = await start({ print: announce, clock, log, stopping: stopping.signal }).catch(unlessStopped(stopping.signal))
  if (served === undefined) return
  manager.ready(served)
  reload.follow(() => manager.reloading(() => served.reload()))
  await Promise.race([stop, reload.terminalGone])
  manager.stopping()
  await served.close()
}

/** A start that a signal interrupted has not failed. */
function unlessStopped(stopping: AbortSignal): (error: unknown) => undefined {
  return (error) => {
    if (!stopping.aborted || error !== stopping.reason) throw error
  }
}

/** What this needs from the process. `terminal`: whether standard input is a terminal now. */
interface ReloadSignalOptions {
  readonly terminal: () => boolean
  readonly onSignal?: (listener: () => void) => void
  /** Called when a reload rejects. The next signal still reloads. */
  readonly onFailure: (error: unknown) => void
}

/** SIGHUP: read the settings again. The system also sends it when a terminal closes: a server started on that terminal then ends. */
export function reloadSignal({
  terminal,
  onFailure,
  onSignal = (listener) => process.on('SIGHUP', listener),
}: ReloadSignalOptions) {
  const isOnTerminal = terminal()
  let reload: (() => Promise<void>) | undefined
  let isRunning = false
  let isDue = false
  const begin = async (): Promise<void> => {
    isDue = true
    if (reload === undefined || isRunning) return
    isRunning = true
    while (isDue) {
      isDue = false
      await reload().catch(onFailure)
    }
    isRunning = false
  }
  return {
    /** Resolves when the terminal on which the process was started is gone. */
    terminalGone: new Promise<void>((resolve) => {
      onSignal(() => (isOnTerminal && !terminal() ? resolve() : void begin()))
    }),
    /** Sets what a signal does, one reload at a time. Signals that came before count as one. */
    follow: (work: () => Promise<void>): void => {
      reload = work
      if (isDue) void begin()
    },
  }
}

const STOP_SIGNALS = ['SIGINT', 'SIGTERM'] as const
/** Exit code after a second signal. */
const KILLED = 130

/** Resolves at the first SIGINT or SIGTERM; a second one ends the process at once. */
export function stopSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    for (const signal of STOP_SIGNALS) {
      process.once(signal, () => {
        resolve(signal)
        for (const second of STOP_SIGNALS) process.once(second, () => process.exit(KILLED))
      })
    }
  })
}
