import { isatty } from 'node:tty'
import { ReloadSignal } from './reload-signal.ts'
import type { Served } from './serve.ts'
import { stopSignal } from './stop-signals.ts'

const STANDARD_INPUT = 0

/**
 * Runs a server until it is told to stop; SIGHUP has it read its settings anew. What is told to stop while it starts, by the signal that it
 * is given, may leave the rest. Rejects with what starting it rejects with.
 */
export async function untilStopped(start: (stopping: AbortSignal) => Promise<Served>): Promise<void> {
  // From the first moment on: a signal that nobody waits for would end the process.
  const stop = stopSignal()
  const stopping = new AbortController()
  void stop.then(() => stopping.abort())
  const reload = new ReloadSignal({
    terminal: () => isatty(STANDARD_INPUT),
    onFailure: (error) => process.stderr.write(`slotwire: ${String(error)}\n`),
  })
  const served = await start(stopping.signal)
  reload.follow(() => served.reload())
  await Promise.race([stop, reload.terminalGone])
  await served.close()
}
