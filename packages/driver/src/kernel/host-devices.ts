import type { HostDevice, HostDeviceQuery } from '@slotwire/core'
import { attributeValue } from './attribute.ts'
import { Errno } from './errno.ts'
import { KernelFileError, type KernelFiles } from './kernel-files.ts'

/** The devices on a bus of the host, below `sysRoot`, by name. Rejects as `KernelFiles` does. */
export async function readHostDevices(
  files: KernelFiles,
  sysRoot: string,
  { bus, names, attributes }: HostDeviceQuery,
): Promise<readonly HostDevice[]> {
  const folder = `${sysRoot}/bus/${bus}/devices`
  const found = (await listed(files, folder)).filter((name) => names.test(name)).sort()
  const paths = found.flatMap((name) => attributes.map((attribute) => `${folder}/${name}/${attribute}`))
  const contents = paths.length === 0 ? [] : await files.read(paths)
  const valueOf = (device: number, attribute: number): string => {
    const content = contents[device * attributes.length + attribute]
    // A device may lack this attribute, or may just have left.
    return typeof content === 'string' ? attributeValue(content) : ''
  }
  const systemPaths = await Promise.all(found.map((name) => withoutLinks(files, `${folder}/${name}`)))
  return found.map((name, device) => ({
    name,
    systemPath: systemPaths[device] ?? '',
    attributes: Object.fromEntries(attributes.map((attribute, index) => [attribute, valueOf(device, index)])),
  }))
}

/** The path below `/sys/devices`; the link itself if the device has just left. */
async function withoutLinks(files: KernelFiles, link: string): Promise<string> {
  try {
    return await files.resolve(link)
  } catch (error) {
    if (error instanceof KernelFileError) return link
    throw error
  }
}

/** Without such a bus the folder does not exist. */
async function listed(files: KernelFiles, folder: string): Promise<readonly string[]> {
  try {
    return await files.list(folder)
  } catch (error) {
    if (error instanceof KernelFileError && error.errno === Errno.ENOENT) return []
    throw error
  }
}
