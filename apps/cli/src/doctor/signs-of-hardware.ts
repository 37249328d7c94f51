import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { isThere, namesIn, readText } from './files.ts'
import type { Installation } from './installation.ts'
import { slotsFolder } from './slots.ts'

/** Where units are, those that come first in the place of others of the same name. */
const UNIT_FOLDERS = ['etc/systemd/system', 'usr/lib/systemd/system', 'lib/systemd/system']
const UNIT = /^slotwire.*\.service$/
const FOR_KERNEL_HARDWARE = /^ExecStart=(.*\\\n)*.*--hardware[ =]kernel\b/m
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
  const seen = new Set<string>()
  for (const folder of UNIT_FOLDERS.map((inner) => join(root, inner))) {
    for (const name of (await namesIn(folder).catch(() => undefined)) ?? []) {
      if (!UNIT.test(name) || seen.has(name)) continue
      seen.add(name)
      if (FOR_KERNEL_HARDWARE.test(await readText(join(folder, name)).catch(() => ''))) return join(folder, name)
    }
  }
  return undefined
}

async function kernelModuleFile(root: string): Promise<string | undefined> {
  for (const folder of MODULE_FOLDERS.map((inner) => join(root, inner))) {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
    const found = entries.find(({ name }) => MODULE.test(name))
    if (found !== undefined) return join(found.parentPath, found.name)
  }
  return undefined
}
