import { withDeadline } from '../deadline.ts'
import { unlessAborted } from '../unless-aborted.ts'
import { type KernelBackplane, SlotsOfKernel } from './kernel-backplane.ts'
import { kernelDriverFile, readKernelDriver, unanswered } from './kernel-driver.ts'
import type { KernelContext, KernelFiles } from './kernel-files.ts'
import { SystemFiles } from './system-files.ts'

/** Longest that reading the version of the kernel driver may take, in milliseconds; a busy machine starts a process for it. */
export const VERSION_LIMIT_MS = 10_000
/** Longest that the end of the processes is waited for, in milliseconds. */
export const END_LIMIT_MS = 2000

/** The clock is real time, unless `files` are brought. */
export interface KernelBackplaneOptions extends Omit<KernelContext, 'files'> {
  /** How many processors this process may use, 1 unless told otherwise: with more, exchanges in a row are faster (decision 0210). */
  readonly processors?: number
  /** Ends the start: it rejects with the signal's reason at once. */
  readonly stopping?: AbortSignal
  /** The system calls; closed by whoever brings them. Its own where left out. */
  readonly files?: KernelFiles
}

/**
 * Finds the slots of this device and follows who comes and goes; resolves after the first look. Rejects with `KernelDriverError`, which
 * says what to do, when the kernel driver is missing, of a version that is not known, does not answer, or does not show its slots.
 */
export async function createKernelBackplane({ files, ...options }: KernelBackplaneOptions): Promise<KernelBackplane> {
  if (files !== undefined) return start({ ...options, files }, options.stopping, async () => undefined)
  const own = new SystemFiles({ clock: options.clock, processors: options.processors ?? 1 })
  return start({ ...options, files: own }, options.stopping, () => endFiles(own, options))
}

async function start(
  context: KernelContext,
  stopping: AbortSignal | undefined,
  close: () => Promise<void>,
): Promise<KernelBackplane> {
  const { clock, files, sysRoot } = context
  try {
    const expired = (): Error => unanswered(`${kernelDriverFile(sysRoot)} was not read`, VERSION_LIMIT_MS)
    const version = withDeadline(clock, VERSION_LIMIT_MS, readKernelDriver(files, sysRoot), expired)
    const backplane = new SlotsOfKernel(context, await unlessAborted(version, stopping), close)
    await backplane.start(stopping)
    return backplane
  } catch (error) {
    await close()
    throw error
  }
}

/** Ends their processes; one that sits in a call that the kernel does not interrupt is left behind. Never rejects. */
async function endFiles(files: SystemFiles, { clock, log }: KernelBackplaneOptions): Promise<void> {
  try {
    await withDeadline(clock, END_LIMIT_MS, files.close(), 'not ended')
  } catch (err) {
    log.error({ err, pids: files.pids }, 'processes that wait for the kernel driver cannot be ended and are left behind')
    files.forget()
  }
}
