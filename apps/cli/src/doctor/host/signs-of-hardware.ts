import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Installation } from '../installation.ts'
import { unitFiles, valuesOf } from '../units/unit-files.ts'
import { isThere } from './files.ts'
import { slotsFolder } from './slots.ts'

const FOR_KERNEL_HARDWARE = /--hardware[ =]kernel\b/
const MODULE_FOLDERS = ['usr/lib/modules', 'lib/modules']
const MODULE = /^sdbpk\.ko(\.\w+)?$/

/** What speaks for real hardware on a machine, whether or not it works at present. */
export interface HardwareSign {
  /** Undefined: the kernel lists slots. */
  readonly because: string | undefined
}

/**
 * Whether a device's service is what this machine is for: the kernel lists slots, has the module, or could load it, or a unit is installed that
 * serves it. `root` has `/etc` and `/usr`. Undefined: nothing speaks for it. Never rejects.
 */
export async function signOfHardware({ roots }: Pick<Installation, 'roots'>, root: string): Promise<HardwareSign | undefined> {
  if (await isThere(slotsFolder({ roots }))) return { because: undefined }
  const module = `${roots.sys}/module/sdbpk`
  if (await isThere(module)) return { because: `${module} exists` }
  const unit = await unitForKernelHardware(root)
  if (unit !== undefined) return { because: `${unit} is installed` }
  const file = await kernelModuleFile(root)
  return file === undefined ? undefined : { because: `${file} is installed` }
}

async function unitForKernelHardware(root: string): Promise<string | undefined> {
  const units = await unitFiles(root)
  return units.find((unit) => valuesOf(unit, 'ExecStart').some((command) => FOR_KERNEL_HARDWARE.test(command)))?.path
}

async function kernelModuleFile(root: string): Promise<string | undefined> {
  for (const folder of MODULE_FOLDERS.map((inner) => join(root, inner))) {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
    const found = entries.find(({ name }) => MODULE.test(name))
    if (found !== undefined) return join(found.parentPath, found.name)
  }
  return undefined
}
