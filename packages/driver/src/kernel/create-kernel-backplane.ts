import { unlessAborted, withDeadline } from '../deadline.ts'
import { type KernelBackplane, SlotsOfKernel } from './kernel-backplane.ts'
import { kernelDriverFile, noAnswerError, readKernelDriver } from './kernel-driver.ts'
import type { KernelContext, KernelFiles } from './kernel-files.ts'
import { SystemFiles } from './system-files.ts'

/** Longest time for reading the version of the kernel driver, in milliseconds. It includes starting a process on a busy machine. */
export const VERSION_LIMIT_MS = 10_000
/** Longest wait for the processes to end, in milliseconds. */
export const END_LIMIT_MS = 2000

/** The clock must be real time, unless `files` is given. */
export interface KernelBackplaneOptions extends Omit<KernelContext, 'files'> {
  /** Number of processors that this process may use, 1 by default. With more, consecutive exchanges are faster (decision 0210). */
  readonly processors?: number
  /** Aborts the start: it rejects at once with the signal's reason. */
  readonly stopping?: AbortSignal
  /** The system calls; the caller closes them. Created here if left out. */
  readonly files?: KernelFiles
}

/**
 * Finds the slots of this device and reports modules that come and go; resolves after the first scan. Rejects with `KernelDriverError`,
 * which names the remedy, if the kernel driver is missing, unsupported or hung, or does not show its slots.
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
    const expired = (): Error => noAnswerError(`${kernelDriverFile(sysRoot)} was not read`, VERSION_LIMIT_MS)
    const version = withDeadline(clock, VERSION_LIMIT_MS, readKernelDriver(files, sysRoot), expired)
    const backplane = new SlotsOfKernel(context, await unlessAborted(version, stopping), close)
    await backplane.start(stopping)
    return backplane
  } catch (error) {
    await close()
    throw error
  }
}

/** Ends the processes. Leaves one behind if it is in a system call that cannot be interrupted. Never rejects. */
async function endFiles(files: SystemFiles, { clock, log }: KernelBackplaneOptions): Promise<void> {
  try {
    await withDeadline(clock, END_LIMIT_MS, files.close(), 'not ended')
  } catch (err) {
    log.error({ err, pids: files.pids }, 'processes that wait for the kernel driver cannot be killed and are left running')
    files.unref()
  }
}
