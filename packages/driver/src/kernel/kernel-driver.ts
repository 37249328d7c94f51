import { formatVersion, type Version } from '@slotwire/core'
import { attributeValue, versionIn } from './attribute.ts'
import { Errno } from './errno.ts'
import { ChildEnded, KernelFileError, type KernelFiles } from './kernel-files.ts'

/** The oldest kernel driver that is spoken to; later ones of the same major version are, with what each offers. */
export const OLDEST_KERNEL_DRIVER: Version = { major: 1, minor: 1, patch: 0 }

const VERSION = /^v?(\d+)\.(\d+)(?:\.(\d+))?/

/** The kernel's side is missing, or of a version that this driver does not know. */
export class KernelDriverError extends Error {
  override readonly name = 'KernelDriverError'
}

/** Where the version of the kernel driver stands. */
export function kernelDriverFile(sysRoot: string): string {
  return `${sysRoot}/module/sdbpk/version`
}

/** The version of the kernel driver below `sysRoot`. Rejects with `KernelDriverError`, which says what to do. */
export async function readKernelDriver(files: Pick<KernelFiles, 'read'>, sysRoot: string): Promise<Version> {
  const file = kernelDriverFile(sysRoot)
  const [content = ''] = await files.read([file]).catch((error: unknown) => [unreadable(error, file)])
  if (content instanceof KernelDriverError) throw content
  if (content instanceof KernelFileError) throw unreadable(content, file)
  const version = versionIn(VERSION.exec(attributeValue(content)))
  const { major, minor } = OLDEST_KERNEL_DRIVER
  if (version?.major !== major || version.minor < minor) {
    const found = version === undefined ? JSON.stringify(content.slice(0, 40)) : formatVersion(version)
    const remedy = `${formatVersion(OLDEST_KERNEL_DRIVER)} up to below ${major + 1}.0.0 is: install one of these`
    throw new KernelDriverError(`kernel driver sdbpk ${found} is not supported: ${remedy}`)
  }
  return version
}

/** What to do about a file or folder of the kernel driver that could not be read. */
export function remedyFor(error: unknown, path: string): string {
  if (error instanceof ChildEnded)
    return 'is there memory for another process, and may this user start one ("ulimit -u", TasksMax=)?'
  if (error instanceof KernelFileError) {
    if (error.errno === Errno.EACCES || error.errno === Errno.EPERM) return `this user must be allowed to read ${path}`
    if (error.errno === Errno.ENOENT) return 'is the kernel module loaded ("modprobe sdbpk"), and is this the device?'
  }
  return 'see what the kernel says ("dmesg | grep -i sdbp")'
}

/** The kernel did not answer: `what` says who did not do what. */
export function unanswered(what: string, limitMs: number): KernelDriverError {
  const remedy = 'the kernel driver hangs, see what the kernel says ("dmesg | grep -i sdbp")'
  return new KernelDriverError(`${what} within ${limitMs / 1000} s: ${remedy}`)
}

function unreadable(error: unknown, file: string): KernelDriverError {
  const reason = error instanceof Error ? error.message : String(error)
  const what = `the version of the kernel driver could not be read (${reason})`
  return new KernelDriverError(`${what}: ${remedyFor(error, file)}`, { cause: error })
}
