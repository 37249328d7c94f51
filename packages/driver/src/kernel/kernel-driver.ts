import { formatVersion, type Version } from '@slotwire/core'
import { attributeValue } from './attribute.ts'
import { Errno } from './errno.ts'
import { KernelFileError, type KernelFiles } from './kernel-files.ts'

/** The oldest kernel driver that is spoken to; later ones of the same major version are, with what each offers. */
export const OLDEST_KERNEL_DRIVER: Version = { major: 1, minor: 1, patch: 0 }

const VERSION = /^v?(\d+)\.(\d+)(?:\.(\d+))?/

/** The kernel's side is missing, or of a version that this driver does not know. */
export class KernelDriverError extends Error {
  override readonly name = 'KernelDriverError'
}

/** The version of the kernel driver below `sysRoot`. Rejects with `KernelDriverError`, which says what to do. */
export async function readKernelDriver(files: Pick<KernelFiles, 'read'>, sysRoot: string): Promise<Version> {
  const file = `${sysRoot}/module/sdbpk/version`
  const [content = ''] = await files.read([file])
  if (content instanceof KernelFileError) {
    const isForbidden = content.errno === Errno.EACCES || content.errno === Errno.EPERM
    const remedy = isForbidden
      ? 'this user must be allowed to read it'
      : 'is the kernel module loaded ("modprobe sdbpk"), and is this the device?'
    throw new KernelDriverError(`the version of the kernel driver could not be read (${content.message}): ${remedy}`)
  }
  const version = versionOf(attributeValue(content))
  const { major, minor } = OLDEST_KERNEL_DRIVER
  if (version?.major !== major || version.minor < minor) {
    const found = version === undefined ? JSON.stringify(content.slice(0, 40)) : formatVersion(version)
    const remedy = `${formatVersion(OLDEST_KERNEL_DRIVER)} up to below ${major + 1}.0.0 is: install one of these`
    throw new KernelDriverError(`kernel driver sdbpk ${found} is not supported: ${remedy}`)
  }
  return version
}

function versionOf(text: string): Version | undefined {
  const parts = VERSION.exec(text)
  return parts === null ? undefined : { major: Number(parts[1]), minor: Number(parts[2]), patch: Number(parts[3] ?? 0) }
}
