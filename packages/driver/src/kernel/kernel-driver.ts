import { formatVersion, messageOf, type Version } from '@slotwire/core'
import { attributeValue, parseVersion } from './attribute.ts'
import { ChildEnded, Errno, InterpreterMissing, KernelFileError, type KernelFiles } from './kernel-files.ts'

/** The oldest supported kernel driver. Later ones of the same major version are supported, too. */
export const OLDEST_KERNEL_DRIVER: Version = { major: 1, minor: 1, patch: 0 }

const VERSION = /^v?(\d+)\.(\d+)(?:\.(\d+))?/

/** The kernel driver is missing, or its version is not supported. */
export class KernelDriverError extends Error {
  override readonly name = 'KernelDriverError'
}

/** The file with the version of the kernel driver. */
export function kernelDriverFile(sysRoot: string): string {
  return `${sysRoot}/module/sdbpk/version`
}

/** The version of the kernel driver below `sysRoot`. Rejects with `KernelDriverError`, which names the remedy. */
export async function readKernelDriver(files: Pick<KernelFiles, 'read'>, sysRoot: string): Promise<Version> {
  const file = kernelDriverFile(sysRoot)
  const [content = ''] = await files.read([file]).catch((error: unknown) => [unreadable(error, file)])
  if (content instanceof KernelDriverError) throw content
  if (content instanceof KernelFileError) throw unreadable(content, file)
  const version = parseVersion(VERSION.exec(attributeValue(content)))
  const { major, minor } = OLDEST_KERNEL_DRIVER
  if (version?.major !== major || version.minor < minor) {
    const shownVersion = version === undefined ? JSON.stringify(content.slice(0, 40)) : formatVersion(version)
    const remedy = `install ${formatVersion(OLDEST_KERNEL_DRIVER)} or later, below ${major + 1}.0.0`
    throw new KernelDriverError(`kernel driver sdbpk ${shownVersion} is not supported: ${remedy}`)
  }
  return version
}

/** The remedy for a file or folder of the kernel driver that could not be read. */
export function remedyFor(error: unknown, path: string): string {
  if (error instanceof InterpreterMissing) return 'install Perl (Debian: "apt-get install perl-base")'
  if (error instanceof ChildEnded) return 'check the memory, and the process limit of this user ("ulimit -u", TasksMax=)'
  if (error instanceof KernelFileError) {
    if (error.errno === Errno.EACCES || error.errno === Errno.EPERM) return `this user must be allowed to read ${path}`
    if (error.errno === Errno.ENOENT) return 'load the kernel module ("modprobe sdbpk"), and check that this is the device'
  }
  return 'check the kernel log ("dmesg | grep -i sdbp")'
}

/** The error for a kernel that does not answer. `what` is the first half of the sentence. */
export function noAnswerError(what: string, limitMs: number): KernelDriverError {
  const remedy = 'the kernel driver hangs, check the kernel log ("dmesg | grep -i sdbp")'
  return new KernelDriverError(`${what} within ${limitMs / 1000} s: ${remedy}`)
}

function unreadable(error: unknown, file: string): KernelDriverError {
  const reason = messageOf(error)
  const what = `the version of the kernel driver could not be read (${reason})`
  return new KernelDriverError(`${what}: ${remedyFor(error, file)}`, { cause: error })
}
