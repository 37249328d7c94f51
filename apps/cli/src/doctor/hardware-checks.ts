import { existsSync } from 'node:fs'
import { formatVersion, type ModuleDescriptor, messageOf, type Version } from '@slotwire/core'
import { SERVICE_NAMES } from '@slotwire/device/names'
import { descriptorFault } from '@slotwire/driver'
import {
  attributeValue,
  DESCRIPTOR_ATTRIBUTES,
  descriptorOf,
  KernelDriverError,
  kernelDriverFile,
  OLDEST_KERNEL_DRIVER,
  readKernelDriver,
} from '@slotwire/driver/kernel'
import { accessFault, READ, READ_WRITE } from './account.ts'
import { type Check, type Finding, failure, ok, warning } from './check.ts'
import { readPage, readPageOrNothing } from './host.ts'
import { drivenSlots, type OccupiedSlot, occupiedSlots, slotsFolder, typesOf } from './slot-holders.ts'
import type { Subject } from './subject.ts'

const LOAD = 'Load it now and at every start: modprobe sdbpk && echo sdbpk >/etc/modules-load.d/sdbpk.conf.'
const RELOAD = 'Load the kernel driver again and see what it reports: modprobe -r sdbpk; modprobe sdbpk; dmesg | grep -i sdbp.'
const { major } = OLDEST_KERNEL_DRIVER
const INSTALL = `Install sdbpk ${formatVersion(OLDEST_KERNEL_DRIVER)} or a later ${major}.x, then: modprobe -r sdbpk && modprobe sdbpk.`
/** The original io driver refuses older kernel drivers of the same major version. */
const OLDEST_FOR_THE_ORIGINAL: Version = { major: 1, minor: 3, patch: 0 }
/** systemd's DeviceAllow= lets a service open slots under one of these names. */
const DRIVER_NAMES = ['serial_device_bus_protocol', 'sdbp_class']

export const kernelModuleCheck: Check = {
  name: 'kernel module',
  group: 'Hardware',
  lookedAt: ({ roots }) => `${kernelDriverFile(roots.sys)}, ${roots.proc}/devices`,
  run: async ({ roots, user }) => {
    if (!existsSync(`${roots.sys}/module/sdbpk`)) return [failure('sdbpk is not loaded', LOAD)]
    const fault = accessFault(kernelDriverFile(roots.sys), user, READ)
    if (fault !== undefined) return [fault]
    try {
      const version = await readKernelDriver({ read: async (paths) => paths.map(readPage) }, roots.sys)
      const found = `sdbpk ${formatVersion(version)}`
      const names = readPageOrNothing(`${roots.proc}/devices`).split(/\s+/)
      if (DRIVER_NAMES.some((name) => names.includes(name))) return [judgeVersion(version, found)]
      return [failure(`${found}, but not in ${roots.proc}/devices: systemd lets no service open a slot`, RELOAD)]
    } catch (error) {
      if (error instanceof KernelDriverError) return [failure(error.message, INSTALL)]
      throw error
    }
  },
}

function judgeVersion(version: Version, found: string): Finding {
  if (version.minor >= OLDEST_FOR_THE_ORIGINAL.minor) return ok(found)
  const needed = formatVersion(OLDEST_FOR_THE_ORIGINAL)
  return warning(
    `${found}: enough for Slotwire, but the original services need ${needed}`,
    `Install sdbpk ${needed} or a later ${major}.x before you return to them.`,
  )
}

export const modulesCheck: Check = {
  name: 'modules',
  group: 'Hardware',
  lookedAt: slotsFolder,
  run: (subject) => {
    const folder = slotsFolder(subject)
    if (!existsSync(folder)) return [failure(`${folder} does not exist: the kernel offers no slots`, RELOAD)]
    const slots = occupiedSlots(subject)
    const services = subject.services.flatMap((service) => service.services)
    if (slots.length > 0) return slots.map((slot) => ({ ...judgeModule(slot, services), name: slot.name }))
    return [warning('no module is in any slot', 'Push the modules in until they click, then: dmesg | grep -i sdbp.')]
  },
}

function judgeModule({ name, number, folder, type }: OccupiedSlot, services: readonly string[]): Finding {
  try {
    const values = DESCRIPTOR_ATTRIBUTES.map((attribute) => attributeValue(readPage(`${folder}/${attribute}`)))
    return judgeDescriptor(descriptorOf(number, values), services)
  } catch (error) {
    // A read also fails for a moment while a descriptor is updated.
    const replug = `pull the module out of ${name} and push it in again; see dmesg | grep -i sdbp`
    return failure(
      `${type || 'unknown'}: ${messageOf(error)}`,
      `Run this again in a few seconds. If the failure stays, ${replug}.`,
    )
  }
}

function judgeDescriptor(descriptor: ModuleDescriptor, services: readonly string[]): Finding {
  const { vendorProductId: type, productName, serialCode, firmware, bootloaderState } = descriptor
  const found = `${type}, ${productName}, serial ${serialCode}, firmware ${formatVersion(firmware.version)} (${firmware.stability})`
  const known = typesOf(SERVICE_NAMES)
  if (known.includes(type) && !typesOf(services).includes(type)) {
    return ok(`${found}: ignored, because only ${services.join(', ')} run here`)
  }
  if (bootloaderState === 'in bootloader mode') {
    const remedy = 'Finish its firmware update. If no update runs, pull the module out and push it in again.'
    return warning(`${found}: in bootloader mode, so not served until its firmware runs`, remedy)
  }
  if (!known.includes(type)) {
    return warning(`${found}: unknown type`, `It is not served. Known types: ${known.join(', ')}.`)
  }
  const fault = descriptorFault(descriptor)
  if (fault === undefined) return ok(found)
  return failure(`${found}: ${fault}`, 'Install other firmware with the maker’s program, or ask the maker.')
}

/** Compares mode, owner and groups. It never opens a slot or a notification file. */
export const slotAccessCheck: Check = {
  name: 'slot access',
  group: 'Hardware',
  lookedAt: (subject) => `rights of ${subject.roots.dev}/slot* and ${slotsFolder(subject)}/slot*/notification`,
  run: (subject) => {
    const slots = drivenSlots(subject)
    const findings = slots.flatMap((slot) => judgeAccess(slot, subject))
    if (findings.length > 0) return findings
    return [ok(slots.length === 0 ? 'no slot holds a module of these services' : `${subject.user.name} may use every slot`)]
  },
}

function judgeAccess({ name, file, folder }: OccupiedSlot, { user }: Subject): readonly Finding[] {
  const faults = [accessFault(file, user, READ_WRITE), accessFault(`${folder}/notification`, user, READ)]
  return faults.flatMap((fault) => (fault === undefined ? [] : [{ ...fault, name: `${name} access` }]))
}
