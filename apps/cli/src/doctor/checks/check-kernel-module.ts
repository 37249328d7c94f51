import { lstat } from 'node:fs/promises'
import { formatVersion } from '@slotwire/core'
import { KernelDriverError, KernelFileError, OLDEST_KERNEL_DRIVER, readKernelDriver } from '@slotwire/driver/kernel'
import { type Check, failure, ok } from '../check.ts'
import { linesOf, readText, reasonOf, shellWord } from '../host/files.ts'

const LOAD = 'Load it, now and at every start: modprobe sdbpk && echo sdbpk >/etc/modules-load.d/sdbpk.conf.'
const INSTALL = `Install the kernel driver sdbpk ${formatVersion(OLDEST_KERNEL_DRIVER)} or a later ${OLDEST_KERNEL_DRIVER.major}.x, then: modprobe -r sdbpk && modprobe sdbpk.`

export const kernelModuleCheck: Check = {
  name: 'kernel module',
  group: 'Hardware',
  isForHardware: true,
  subject: ({ roots }) => `${roots.sys}/module/sdbpk/version`,
  run: async ({ roots }) => {
    const folder = `${roots.sys}/module/sdbpk`
    const found = await lstat(folder).catch(reasonOf)
    if (found === 'ENOENT') return [failure('sdbpk is not loaded', LOAD)]
    if (typeof found === 'string')
      return [failure(`${folder} cannot be looked at (${found})`, `Look as root: stat ${shellWord(folder)}.`)]
    try {
      return [ok(`sdbpk ${formatVersion(await readKernelDriver({ read: readEach }, roots.sys))}`)]
    } catch (error) {
      if (error instanceof KernelDriverError) return [failure(error.message, INSTALL)]
      throw error
    }
  },
}

function readEach(paths: readonly string[]): Promise<readonly (string | KernelFileError)[]> {
  return Promise.all(paths.map((path) => readText(path).catch((error: unknown) => fileError(error, path))))
}

function fileError(error: unknown, path: string): KernelFileError {
  if (!(error instanceof Error) || !('errno' in error) || typeof error.errno !== 'number') throw error
  return new KernelFileError('read', Math.abs(error.errno), path)
}

/** Under which the kernel driver's files are known to the kernel, and to systemd's DeviceAllow=. */
const DRIVER_NAMES = ['serial_device_bus_protocol', 'sdbp_class']

export const driverNameCheck: Check = {
  name: 'device driver',
  group: 'Hardware',
  isForHardware: true,
  subject: ({ roots }) => `${roots.proc}/devices`,
  run: async ({ roots }) => {
    const names = (await linesOf(`${roots.proc}/devices`)).map((line) => line.trim().split(/\s+/)[1] ?? '')
    const found = DRIVER_NAMES.filter((name) => names.includes(name))
    if (found.length > 0) return [ok(`char-${found.join(', char-')}`)]
    const remedy = 'Load the kernel driver anew, and see what it says: modprobe -r sdbpk; modprobe sdbpk; dmesg | grep -i sdbp.'
    return [failure(`neither ${DRIVER_NAMES.join(' nor ')} is registered: systemd would let nobody open a slot`, remedy)]
  },
}
