import type { HostUsbDevice } from '@slotwire/core'
import { attributeValue } from './attribute.ts'
import { Errno } from './errno.ts'
import { KernelFileError, type KernelFiles } from './kernel-files.ts'

/** A device behind the hub, which is on a port of bus 1: `1-1.4`, and `1-1.4.2` behind another hub there. Interfaces have a `:`. */
const BEHIND_HUB = /^1-\d+\.(\d+)(\.\d+)*$/
const ATTRIBUTES = ['manufacturer', 'product', 'serial'] as const

/** What hangs on the device's USB hub, below `sysRoot`; wire-protocol.md "bmc module". Rejects as `KernelFiles` does. */
export async function readUsbDevices(files: KernelFiles, sysRoot: string): Promise<readonly HostUsbDevice[]> {
  const folder = `${sysRoot}/bus/usb/devices`
  const found = (await listed(files, folder)).flatMap((name) => {
    const port = BEHIND_HUB.exec(name)?.[1]
    return port === undefined ? [] : [{ name, port: Number(port), systemPath: `${folder}/${name}` }]
  })
  found.sort((one, other) => one.port - other.port || (one.name < other.name ? -1 : 1))
  const paths = found.flatMap(({ systemPath }) => ATTRIBUTES.map((attribute) => `${systemPath}/${attribute}`))
  const contents = paths.length === 0 ? [] : await files.read(paths)
  return found.map(({ port, systemPath }, index) => {
    const [manufacturer = '', product = '', serialCode = ''] = contents
      .slice(index * ATTRIBUTES.length, (index + 1) * ATTRIBUTES.length)
      // A device need not have any of them, and may just have left.
      .map((content) => (typeof content === 'string' ? attributeValue(content) : ''))
    return { port, manufacturer, product, serialCode, systemPath }
  })
}

/** A system without USB has no such folder. */
async function listed(files: KernelFiles, folder: string): Promise<readonly string[]> {
  try {
    return await files.list(folder)
  } catch (error) {
    if (error instanceof KernelFileError && error.errno === Errno.ENOENT) return []
    throw error
  }
}
