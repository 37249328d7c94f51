import { isatty } from 'node:tty'
import type { Clock, Log } from '@slotwire/core'
import type { Served } from '../serve/serve-device.ts'
import { serviceManager } from '../systemd/service-manager.ts'
import type { CommandContext } from '../terminal/command-context.ts'
import { standardLog } from '../terminal/standard-log.ts'
import { hint } from '../terminal/standard-output.ts'
import type { LogOptions } from './option-values.ts'
import { ReloadSignal } from './reload-signal.ts'
import { stopSignal } from './stop-signals.ts'

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

interface ServerProcessContext extends Pick<CommandContext, 'environment' | 'clock'> {
  readonly announce: (text: string) => void
}

/**
 * Runs a server until a signal stops it. SIGHUP makes it read its settings again. Reports its state to systemd if systemd asks for it.
 * Rejects if the start fails.
 */
export async function untilStopped(
  options: LogOptions,
  { environment, clock, announce }: ServerProcessContext,
  start: (context: ServerContext) => Promise<Served>,
): Promise<void> {
  // Listen from the first moment: an unhandled signal would end the process.
  const stop = stopSignal()
  const stopping = new AbortController()
  void stop.then(() => stopping.abort())
  const reload = new ReloadSignal({
    terminal: () => isatty(STANDARD_INPUT),
    onFailure: (error) => hint(`slotwire: ${String(error)}\n`),
  })
  const log = standardLog(options, environment)
  const manager = serviceManager({ environment, clock, log, pid: process.pid })
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
