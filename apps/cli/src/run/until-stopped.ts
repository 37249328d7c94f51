import { isatty } from 'node:tty'
import type { Clock, Log } from '@slotwire/core'
import type { Served } from '../serve/serve.ts'
import { serviceManager } from '../systemd/service-manager.ts'
import { hint } from '../terminal/standard-error.ts'
import { ReloadSignal } from './reload-signal.ts'
import { stopSignal } from './stop-signals.ts'

const STANDARD_INPUT = 0

export interface Surroundings {
  /** Where systemd says how it wants to be told of this process. */
  readonly environment: NodeJS.ProcessEnv
  readonly clock: Clock
  readonly log: Log
}

/**
 * Runs a server until it is told to stop; SIGHUP has it read its settings anew, and systemd is told of it all where it wants to know. What
 * is told to stop while it starts, by the signal that it is given, may leave the rest. Rejects with what starting it rejects with.
 */
export async function untilStopped(surroundings: Surroundings, start: (stopping: AbortSignal) => Promise<Served>): Promise<void> {
  // From the first moment on: a signal that nobody waits for would end the process.
  const stop = stopSignal()
  const stopping = new AbortController()
  void stop.then(() => stopping.abort())
  const reload = new ReloadSignal({
    terminal: () => isatty(STANDARD_INPUT),
    onFailure: (error) => hint(`slotwire: ${String(error)}\n`),
  })
  const manager = serviceManager({ ...surroundings, pid: process.pid })
  const served = await start(stopping.signal).catch(unlessStopped(stopping.signal))
  if (served === undefined) return
  manager.ready(served)
  reload.follow(() => manager.reloading(() => served.reload()))
  await Promise.race([stop, reload.terminalGone])
  manager.stopping()
  await served.close()
}

/** What was told to stop before it had come so far has not failed. */
function unlessStopped(stopping: AbortSignal): (error: unknown) => undefined {
  return (error) => {
    if (!stopping.aborted || error !== stopping.reason) throw error
  }
}
