import type { Clock, Log, Version } from '@slotwire/core'
import { withDeadline } from '../deadline.ts'
import { type KernelBackplane, SlotsOfKernel } from './kernel-backplane.ts'
import { kernelDriverFile, readKernelDriver, unanswered } from './kernel-driver.ts'
import type { KernelFiles } from './kernel-files.ts'
import { SystemFiles } from './system-files.ts'
import { unlessAborted } from './unless-aborted.ts'

/** Longest that reading the version of the kernel driver may take, in milliseconds; a busy machine starts a process for it. */
export const VERSION_LIMIT_MS = 10_000
/** Longest that the end of the processes is waited for, in milliseconds. */
export const END_LIMIT_MS = 2000

export interface KernelBackplaneOptions {
  /** `/sys`, or where a test has its own. */
  readonly sysRoot: string
  /** `/dev`, or where a test has its own. */
  readonly devRoot: string
  /** Real time, unless `files` are brought. */
  readonly clock: Clock
  readonly log: Log
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
export async function createKernelBackplane(options: KernelBackplaneOptions): Promise<KernelBackplane> {
  if (options.files !== undefined) return startBackplane({ ...options, files: options.files }, async () => undefined)
  const { clock, processors = 1 } = options
  const files = new SystemFiles({ clock, processors })
  return startBackplane({ ...options, files }, () => endFiles(files, options))
}

async function startBackplane(
  options: KernelBackplaneOptions & { readonly files: KernelFiles },
  close: () => Promise<void>,
): Promise<KernelBackplane> {
  try {
    const version = await unlessAborted(versionOf(options), options.stopping)
    const backplane = new SlotsOfKernel(options, version, close)
    await backplane.start(options.stopping)
    return backplane
  } catch (error) {
    await close()
    throw error
  }
}

function versionOf({ clock, files, sysRoot }: { clock: Clock; files: KernelFiles; sysRoot: string }): Promise<Version> {
  const expired = (): Error => unanswered(`${kernelDriverFile(sysRoot)} was not read`, VERSION_LIMIT_MS)
  return withDeadline(clock, VERSION_LIMIT_MS, readKernelDriver(files, sysRoot), expired)
}

/** Ends their processes; one that sits in a call that the kernel does not interrupt is left behind. Never rejects. */
async function endFiles(files: SystemFiles, { clock, log }: KernelBackplaneOptions): Promise<void> {
  try {
    await withDeadline(clock, END_LIMIT_MS, files.close(), () => new Error(`not ended within ${END_LIMIT_MS} ms`))
  } catch (err) {
    log.error({ err, pids: files.pids }, 'processes that wait for the kernel driver cannot be ended and are left behind')
    files.forget()
  }
}
