import { existsSync, readdirSync, readlinkSync, realpathSync } from 'node:fs'
import { type Clock, formatVersion, messageOf, orElse, SlotwireError } from '@slotwire/core'
import { allServices } from '@slotwire/device'
import { SERVICE_NAMES } from '@slotwire/device/names'
import { powerSupplier } from '@slotwire/device/power-supplier'
import { descriptorFault } from '@slotwire/driver'
import * as kernel from '@slotwire/driver/kernel'
import { createPowerManagerClient, POWER_MANAGER_SOCKET } from '@slotwire/driver/power-manager'
import { usesPowerBudget } from '@slotwire/service'
import { shellWord } from '../terminal/text.ts'
import { blocked, type Finding, failure, type OccupiedSlot, ok, type Subject, warning } from './check.ts'
import { accessFault, isBlocked, READ, READ_WRITE, readPage, readPageOrNothing } from './host.ts'
import { propertiesOf } from './service-checks.ts'

const LOAD = 'Load it now and at every start: modprobe sdbpk && echo sdbpk >/etc/modules-load.d/sdbpk.conf.'
const RELOAD = 'Load the kernel driver again and see what it reports: modprobe -r sdbpk; modprobe sdbpk; dmesg | grep -i sdbp.'
const { major } = kernel.OLDEST_KERNEL_DRIVER
const OLDEST = `${formatVersion(kernel.OLDEST_KERNEL_DRIVER)} or a later ${major}.x`
const INSTALL = `Install sdbpk ${OLDEST}, then: modprobe -r sdbpk && modprobe sdbpk.`
/** The original io driver refuses older kernel drivers of the same major version. */
const OLDEST_FOR_THE_ORIGINAL = { major: 1, minor: 3, patch: 0 }
/** systemd's DeviceAllow= lets a service open slots under one of these names. */
const DRIVER_NAMES = ['serial_device_bus_protocol', 'sdbp_class']
/** Services whose modules need power. */
const NEEDS_POWER = allServices.filter(usesPowerBudget).map(({ contract }) => contract.service)
/** More than any supply has, and the highest value of the protocol: a power manager denies it, and nothing changes. */
const TOO_MUCH = { power3v3: 65_535, power5v0: 65_535, power12v: 65_535 }
/** The first name behind the slices. A container or a user's systemd counts as one unit. */
const UNIT = /^(?:0:|\d+:name=systemd):(?:\/[^/\n]+\.slice)*\/([\w@.:\\-]+\.(?:service|scope|socket))(?:\/|$)/m

/** The folder in which the kernel lists slots. */
export const slotsFolder = ({ sys }: Pick<Subject['roots'], 'sys'>): string => `${sys}/class/sdbp`

/** Reads which slots hold modules. */
export function occupiedSlots(roots: Pick<Subject['roots'], 'sys' | 'dev'>, clock: Clock): Promise<readonly OccupiedSlot[]> {
  const names = orElse([], () => readdirSync(slotsFolder(roots))).filter((name) => /^slot[0-7]$/.test(name))
  return Promise.all(names.sort().map((name) => slotOf(name, `${slotsFolder(roots)}/${name}`, roots.dev, clock)))
}

async function slotOf(entry: string, folder: string, dev: string, clock: Clock): Promise<OccupiedSlot> {
  const files = kernel.DESCRIPTOR_ATTRIBUTES.map((attribute) => `${folder}/${attribute}`)
  const hangs = await isBlocked(clock, ...files)
  const type = hangs ? '' : kernel.attributeValue(readPageOrNothing(`${folder}/vendor_product_id`))
  const [number, name] = [Number(entry.slice(-1)), entry.replace('slot', 'slot ')]
  return { number, name, folder, file: `${dev}/${entry}`, type, isBlocked: hangs }
}

/** `vendor_product_id`s that these services drive. */
const typesOf = (services: readonly string[]): readonly string[] =>
  allServices.filter(({ contract }) => services.includes(contract.service)).map(({ vendorProductId }) => vendorProductId)

/** Slots with modules of our services. A module whose type is unreadable now may be ours. */
const drivenSlots = ({ slots, service }: Subject): readonly OccupiedSlot[] =>
  slots.filter(({ type }) => type === '' || typesOf(service.services).includes(type))

export async function checkKernelModule({ roots, user }: Subject): Promise<Finding> {
  if (!existsSync(`${roots.sys}/module/sdbpk`)) return failure('sdbpk is not loaded', LOAD)
  const fault = accessFault(kernel.kernelDriverFile(roots.sys), user, READ)
  if (fault !== undefined) return fault
  try {
    const version = await kernel.readKernelDriver({ read: async (paths) => paths.map(readPage) }, roots.sys)
    const found = `sdbpk ${formatVersion(version)}`
    const names = readPageOrNothing(`${roots.proc}/devices`).split(/\s+/)
    if (!DRIVER_NAMES.some((name) => names.includes(name)))
      return failure(`${found}, but not in ${roots.proc}/devices: systemd lets no service open a slot`, RELOAD)
    if (version.minor >= OLDEST_FOR_THE_ORIGINAL.minor) return ok(found)
    const needed = formatVersion(OLDEST_FOR_THE_ORIGINAL)
    const remedy = `Install sdbpk ${needed} or a later ${major}.x before you return to them.`
    return warning(`${found}: enough for Slotwire, but the original services need ${needed}`, remedy)
  } catch (error) {
    if (error instanceof kernel.KernelDriverError) return failure(error.message, INSTALL)
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

function judgeModule(slot: OccupiedSlot, services: readonly string[]): Finding {
  const { folder } = slot
  if (slot.isBlocked) return blocked(folder)
  try {
    const values = kernel.DESCRIPTOR_ATTRIBUTES.map((attribute) => kernel.attributeValue(readPage(`${folder}/${attribute}`)))
    const descriptor = kernel.descriptorOf(slot.number, values)
    const { vendorProductId: type, productName, serialCode, firmware, bootloaderState } = descriptor
    const found = `${type}, ${productName}, serial ${serialCode}, firmware ${formatVersion(firmware.version)} (${firmware.stability})`
    const known = typesOf(SERVICE_NAMES)
    if (known.includes(type) && !typesOf(services).includes(type))
      return ok(`${found}: ignored, because only ${services.join(', ')} run here`)
    const finish = 'Finish its firmware update. If no update runs, pull the module out and push it in again.'
    if (bootloaderState === 'in bootloader mode')
      return warning(`${found}: in bootloader mode, so not served until its firmware runs`, finish)
    if (!known.includes(type)) return warning(`${found}: unknown type`, `It is not served. Known types: ${known.join(', ')}.`)
    const fault = descriptorFault(descriptor)
    if (fault === undefined) return ok(found)
    return failure(`${found}: ${fault}`, 'Install other firmware with the maker’s program, or ask the maker.')
  } catch (error) {
    // A read also fails for a moment while a descriptor is updated.
    const replug = `pull the module out of ${slot.name} and push it in again; see dmesg | grep -i sdbp`
    const remedy = `Run this again in a few seconds. If the failure stays, ${replug}.`
    return failure(`${slot.type || 'unknown'}: ${messageOf(error)}`, remedy)
  }
}

/** Compares mode, owner and groups. It never opens a slot or a notification file. */
export function checkSlotAccess(subject: Subject): Finding | readonly Finding[] {
  const { user } = subject
  const slots = drivenSlots(subject)
  const findings = slots.flatMap(({ name, file, folder }) => {
    const faults = [accessFault(file, user, READ_WRITE), accessFault(`${folder}/notification`, user, READ)]
    return faults.flatMap((fault) => (fault === undefined ? [] : [{ ...fault, name: `${name} access` }]))
  })
  if (findings.length > 0) return findings
  return ok(slots.length === 0 ? 'no slot holds a module of these services' : `${user.name} may use every slot`)
}

/** The processes that have a slot open. */
export async function checkSlotHolders(subject: Subject): Promise<Finding | readonly Finding[]> {
  const { proc } = subject.roots
  const slots = subject.slots.map((slot) => ({ ...slot, path: orElse(slot.file, () => realpathSync(slot.file)) }))
  const findings: Finding[] = []
  let isPartial = false
  for (const pid of readdirSync(proc).filter((name) => /^\d+$/.test(name))) {
    const folder = `${proc}/${pid}/fd`
    const paths = orElse(undefined, () => readdirSync(folder).map((name) => orElse('', () => readlinkSync(`${folder}/${name}`))))
    isPartial ||= paths === undefined && existsSync(`${proc}/${pid}`)
    const held = slots.filter(({ path }) => paths?.includes(path) === true)
    for (const slot of held) findings.push(await judgeHolder(Number(pid), slot, subject))
  }
  if (findings.length > 0) return findings
  return ok(isPartial ? 'by no process that this user may examine; run this as root to see all' : 'by no process')
}

async function judgeHolder(pid: number, { number, name }: OccupiedSlot, subject: Subject): Promise<Finding> {
  const about = (file: string): string => readPageOrNothing(`${subject.roots.proc}/${pid}/${file}`)
  const unit = UNIT.exec(about('cgroup'))?.[1]
  const parent = Number(/^PPid:\t(\d+)$/m.exec(about('status'))?.[1])
  const who = `${about('comm').trim() || 'a program'} (process ${pid}${unit === undefined ? '' : ` of ${unit}`})`
  const title = `${name} in use`
  // A service has a child process for each slot.
  const isOurs = subject.service.pid !== undefined && [pid, parent].includes(subject.service.pid)
  if (isOurs || unit?.startsWith('slotwire') === true) return ok(`by the running service: ${who}`, title)
  if (!drivenSlots(subject).some((slot) => slot.number === number)) return ok(`not ours, used by ${who}`, title)
  const look = unit === undefined ? `ps -f -p ${pid}` : `systemctl status ${pid}`
  const remedy = (await isMainProcess(pid, unit))
    ? `Stop it: systemctl disable --now ${shellWord(unit ?? '')}.`
    : `Identify it and stop it where it was started: ${look}.`
  return failure(`by another program, but only one can use it: ${who}`, remedy, title)
}

/**
 * Whether the process is the purpose of its unit. Otherwise the unit must keep running: `ssh.service` may be the only access to this
 * device.
 */
async function isMainProcess(pid: number, unit: string | undefined): Promise<boolean> {
  if (unit?.endsWith('.service') !== true) return false
  const [shown] = await propertiesOf(['MainPID', 'StandardInput'], unit).catch(() => [])
  return shown?.['MainPID'] === String(pid) && shown['StandardInput']?.startsWith('tty') !== true
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
  // A power manager without a limit grants even this: release it immediately.
  const ask = async (): Promise<void> => {
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
  const isOurs = powerSupplier === undefined || service.services.includes(powerSupplier.service)
  const supply = isOurs ? undefined : slots.find(({ type }) => type === powerSupplier?.vendorProductId)
  if (supply === undefined) return ok(`${socket} does not exist: the service manages the power itself`)
  return failure(
    `${socket} does not exist, and another service drives the module in ${supply.name}: no pin gets power`,
    `${start}.`,
  )
}
