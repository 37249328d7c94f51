import { existsSync } from 'node:fs'
import { formatVersion, type ModuleDescriptor, messageOf, SlotwireError, type Version } from '@slotwire/core'
import { allServices } from '@slotwire/device'
import { SERVICE_NAMES } from '@slotwire/device/names'
import { powerSupplier } from '@slotwire/device/power-supplier'
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
import { createPowerManagerClient, POWER_MANAGER_SOCKET } from '@slotwire/driver/power-manager'
import { usesPowerBudget } from '@slotwire/service'
import { blocked, type Finding, failure, type OccupiedSlot, ok, type Subject, warning } from './check.ts'
import { accessFault, READ, READ_WRITE, readPage, readPageOrNothing } from './host.ts'
import { drivenSlots, slotsFolder, typesOf } from './slots.ts'

const LOAD = 'Load it now and at every start: modprobe sdbpk && echo sdbpk >/etc/modules-load.d/sdbpk.conf.'
const RELOAD = 'Load the kernel driver again and see what it reports: modprobe -r sdbpk; modprobe sdbpk; dmesg | grep -i sdbp.'
const { major } = OLDEST_KERNEL_DRIVER
const INSTALL = `Install sdbpk ${formatVersion(OLDEST_KERNEL_DRIVER)} or a later ${major}.x, then: modprobe -r sdbpk && modprobe sdbpk.`
/** The original io driver refuses older kernel drivers of the same major version. */
const OLDEST_FOR_THE_ORIGINAL: Version = { major: 1, minor: 3, patch: 0 }
/** systemd's DeviceAllow= lets a service open slots under one of these names. */
const DRIVER_NAMES = ['serial_device_bus_protocol', 'sdbp_class']
/** Services whose modules need power. */
const NEEDS_POWER = allServices.filter(usesPowerBudget).map(({ contract }) => contract.service)
/** More than any supply has, and the highest value of the protocol: a power manager denies it, and nothing changes. */
const TOO_MUCH = { power3v3: 65_535, power5v0: 65_535, power12v: 65_535 }

export async function checkKernelModule({ roots, user }: Subject): Promise<Finding> {
  if (!existsSync(`${roots.sys}/module/sdbpk`)) return failure('sdbpk is not loaded', LOAD)
  const fault = accessFault(kernelDriverFile(roots.sys), user, READ)
  if (fault !== undefined) return fault
  try {
    const version = await readKernelDriver({ read: async (paths) => paths.map(readPage) }, roots.sys)
    const found = `sdbpk ${formatVersion(version)}`
    const names = readPageOrNothing(`${roots.proc}/devices`).split(/\s+/)
    if (!DRIVER_NAMES.some((name) => names.includes(name)))
      return failure(`${found}, but not in ${roots.proc}/devices: systemd lets no service open a slot`, RELOAD)
    if (version.minor >= OLDEST_FOR_THE_ORIGINAL.minor) return ok(found)
    const needed = formatVersion(OLDEST_FOR_THE_ORIGINAL)
    return warning(
      `${found}: enough for Slotwire, but the original services need ${needed}`,
      `Install sdbpk ${needed} or a later ${major}.x before you return to them.`,
    )
  } catch (error) {
    if (error instanceof KernelDriverError) return failure(error.message, INSTALL)
    throw error
  }
}

export function checkModules({ roots, user, slots, service }: Subject): Finding | readonly Finding[] {
  const folder = slotsFolder(roots)
  if (!existsSync(folder)) return failure(`${folder} does not exist: the kernel offers no slots`, RELOAD)
  const empty = warning('no module is in any slot', 'Push the modules in until they click, then: dmesg | grep -i sdbp.')
  if (slots.length === 0) return accessFault(folder, user, READ) ?? empty
  return slots.map((slot) => ({ ...judgeModule(slot, service.services), name: slot.name }))
}

function judgeModule({ name, number, folder, type, isBlocked }: OccupiedSlot, services: readonly string[]): Finding {
  if (isBlocked) return blocked(folder)
  try {
    const values = DESCRIPTOR_ATTRIBUTES.map((attribute) => attributeValue(readPage(`${folder}/${attribute}`)))
    return judgeDescriptor(descriptorOf(number, values), services)
  } catch (error) {
    // A read also fails for a moment while a descriptor is updated.
    const replug = `pull the module out of ${name} and push it in again; see dmesg | grep -i sdbp`
    const remedy = `Run this again in a few seconds. If the failure stays, ${replug}.`
    return failure(`${type || 'unknown'}: ${messageOf(error)}`, remedy)
  }
}

function judgeDescriptor(descriptor: ModuleDescriptor, services: readonly string[]): Finding {
  const { vendorProductId: type, productName, serialCode, firmware, bootloaderState } = descriptor
  const found = `${type}, ${productName}, serial ${serialCode}, firmware ${formatVersion(firmware.version)} (${firmware.stability})`
  const known = typesOf(SERVICE_NAMES)
  if (known.includes(type) && !typesOf(services).includes(type))
    return ok(`${found}: ignored, because only ${services.join(', ')} run here`)
  if (bootloaderState === 'in bootloader mode') {
    const remedy = 'Finish its firmware update. If no update runs, pull the module out and push it in again.'
    return warning(`${found}: in bootloader mode, so not served until its firmware runs`, remedy)
  }
  if (!known.includes(type)) return warning(`${found}: unknown type`, `It is not served. Known types: ${known.join(', ')}.`)
  const fault = descriptorFault(descriptor)
  if (fault === undefined) return ok(found)
  return failure(`${found}: ${fault}`, 'Install other firmware with the maker’s program, or ask the maker.')
}

export async function checkPowerManager(subject: Subject): Promise<Finding | readonly Finding[]> {
  const { service, user, clock } = subject
  if (!service.services.some((name) => NEEDS_POWER.includes(name))) return []
  const socket = service.powerManager ?? POWER_MANAGER_SOCKET
  if (!existsSync(socket)) return judgeMissingSocket(socket, subject)
  const fault = accessFault(socket, user, READ_WRITE)
  if (fault !== undefined) return fault
  const slot = drivenSlots(subject).find(({ type }) => typesOf(NEEDS_POWER).includes(type))
  if (slot === undefined) return ok(`${socket} exists; no module here needs it`)
  const client = createPowerManagerClient({ socket, clock })
  const ask = async (): Promise<void> => {
    // A power manager without a limit grants even this: release it immediately.
    if ((await client.request(slot.number, TOO_MUCH)).granted) await client.done(slot.number, false)
  }
  try {
    // A power manager that is busy with another module fails once: ask again.
    await ask().catch(ask)
    return ok(`${socket} answers`)
  } catch (error) {
    if (!(error instanceof SlotwireError)) throw error
    const look = 'systemctl status slotwire-power-manager slotwire'
    return failure(error.message, `Check that it and the service of the power module run: ${look}.`)
  }
}

function judgeMissingSocket(socket: string, { service, slots }: Subject): Finding {
  const start = 'Start the power manager: systemctl enable --now slotwire-power-manager'
  if (service.powerManager !== undefined) return failure(`${socket} does not exist`, `${start}; or omit --power-manager.`)
  const isElsewhere = powerSupplier !== undefined && !service.services.includes(powerSupplier.service)
  const supply = isElsewhere ? slots.find(({ type }) => type === powerSupplier?.vendorProductId) : undefined
  if (supply === undefined) return ok(`${socket} does not exist: the service manages the power itself`)
  const found = `${socket} does not exist, and another service drives the module in ${supply.name}: no pin gets power`
  return failure(found, `${start}.`)
}
