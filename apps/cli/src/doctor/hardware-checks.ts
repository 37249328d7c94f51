import { existsSync, readdirSync, readlinkSync, realpathSync } from 'node:fs'
import { formatVersion, messageOf, orElse, type Version } from '@slotwire/core'
import { allServices } from '@slotwire/device'
import { powerSupplier } from '@slotwire/device/power-supplier'
import { descriptorFault } from '@slotwire/driver'
import * as kernel from '@slotwire/driver/kernel'
import { createPowerManagerClient, POWER_MANAGER_SOCKET } from '@slotwire/driver/power-manager'
import { usesPowerBudget } from '@slotwire/service'
import { shellWord } from '../terminal/text.ts'
import { accessFault, blocked, type Finding, type Findings, failure, ok, warning } from './check.ts'
import * as host from './host.ts'

const RELOAD = 'Load the kernel driver again and see what it reports: modprobe -r sdbpk; modprobe sdbpk; dmesg | grep -i sdbp.'
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

/** Whether our service drives the module. One whose type is unreadable now may be ours. */
const isDriven = ({ type, service }: host.OccupiedSlot, { services }: host.CheckedService): boolean =>
  type === '' || services.includes(service)

export async function checkKernelModule({ roots, user }: host.Subject): Promise<Finding> {
  const load = 'Load it now and at every start: modprobe sdbpk && echo sdbpk >/etc/modules-load.d/sdbpk.conf.'
  if (!existsSync(`${roots.sys}/module/sdbpk`)) return failure('sdbpk is not loaded', load)
  const fault = accessFault(kernel.kernelDriverFile(roots.sys), user, host.READ)
  if (fault !== undefined) return fault
  const read = kernel.readKernelDriver({ read: async (paths) => paths.map(host.readPage) }, roots.sys)
  const version = await read.catch(messageOf)
  const orLater = (oldest: Version): string => `${formatVersion(oldest)} or a later ${oldest.major}.x`
  const install = `Install sdbpk ${orLater(kernel.OLDEST_KERNEL_DRIVER)}, then: modprobe -r sdbpk && modprobe sdbpk.`
  if (typeof version === 'string') return failure(version, install)
  const found = `sdbpk ${formatVersion(version)}`
  const names = host.readPageOrNothing(`${roots.proc}/devices`).split(/\s+/)
  if (!DRIVER_NAMES.some((name) => names.includes(name)))
    return failure(`${found}, but not in ${roots.proc}/devices: systemd lets no service open a slot`, RELOAD)
  if (version.minor >= OLDEST_FOR_THE_ORIGINAL.minor) return ok(found)
  const few = `${found}: enough for Slotwire, but the original services need ${formatVersion(OLDEST_FOR_THE_ORIGINAL)}`
  return warning(few, `Install sdbpk ${orLater(OLDEST_FOR_THE_ORIGINAL)} before you return to them.`)
}

export function checkModules({ roots, user, slots, service }: host.Subject): Findings {
  const folder = host.slotsFolder(roots)
  if (!existsSync(folder)) return failure(`${folder} does not exist: the kernel offers no slots`, RELOAD)
  const empty = warning('no module is in any slot', 'Push the modules in until they click, then: dmesg | grep -i sdbp.')
  if (slots.length === 0) return accessFault(folder, user, host.READ) ?? empty
  return slots.map((slot) => ({ ...judgeModule(slot, service), name: slot.name }))
}

function judgeModule(slot: host.OccupiedSlot, service: host.CheckedService): Finding {
  const { number, name, folder, type } = slot
  if (slot.isBlocked) return blocked(folder)
  const read = (attribute: string): string => kernel.attributeValue(host.readPage(`${folder}/${attribute}`))
  let descriptor: ReturnType<typeof kernel.descriptorOf>
  try {
    descriptor = kernel.descriptorOf(number, kernel.DESCRIPTOR_ATTRIBUTES.map(read))
  } catch (error) {
    // A read also fails for a moment while a descriptor is updated.
    const replug = `pull the module out of ${name} and push it in again; see dmesg | grep -i sdbp`
    const remedy = `Run this again in a few seconds. If the failure stays, ${replug}.`
    return failure(`${type || 'unknown'}: ${messageOf(error)}`, remedy)
  }
  const { productName, serialCode, firmware, bootloaderState } = descriptor
  const found = `${type}, ${productName}, serial ${serialCode}, firmware ${formatVersion(firmware.version)} (${firmware.stability})`
  if (slot.service !== '' && !isDriven(slot, service))
    return ok(`${found}: ignored, because only ${service.services.join(', ')} run here`)
  const finish = 'Finish its firmware update. If no update runs, pull the module out and push it in again.'
  if (bootloaderState === 'in bootloader mode')
    return warning(`${found}: in bootloader mode, so not served until its firmware runs`, finish)
  const known = allServices.map(({ vendorProductId }) => vendorProductId).join(', ')
  if (slot.service === '') return warning(`${found}: unknown type`, `It is not served. Known types: ${known}.`)
  const fault = descriptorFault(descriptor)
  return fault === undefined
    ? ok(found)
    : failure(`${found}: ${fault}`, 'Install other firmware with the maker’s program, or ask the maker.')
}

/** Compares mode, owner and groups. It never opens a slot or a notification file. */
export function checkSlotAccess({ user, service, slots: all }: host.Subject): Findings {
  const slots = all.filter((slot) => isDriven(slot, service))
  const faults = slots.flatMap(({ name, file, folder }) => {
    const both = [accessFault(file, user, host.READ_WRITE), accessFault(`${folder}/notification`, user, host.READ)]
    return both.filter((fault) => fault !== undefined).map((fault) => ({ ...fault, name: `${name} access` }))
  })
  if (faults.length > 0) return faults
  return ok(slots.length === 0 ? 'no slot holds a module of these services' : `${user.name} may use every slot`)
}

/** The processes that have a slot open. */
export async function checkSlotHolders(subject: host.Subject): Promise<Findings> {
  const { proc } = subject.roots
  const slots = subject.slots.map((slot) => ({ ...slot, path: orElse(slot.file, () => realpathSync(slot.file)) }))
  const findings: Finding[] = []
  let hidden = ''
  for (const pid of host.namesIn(proc, /^\d+$/)) {
    const folder = `${proc}/${pid}/fd`
    const paths = orElse(undefined, () => readdirSync(folder).map((name) => orElse('', () => readlinkSync(`${folder}/${name}`))))
    if (paths === undefined && existsSync(`${proc}/${pid}`)) hidden = ' that this user may examine; run this as root to see all'
    for (const slot of slots) if (paths?.includes(slot.path)) findings.push(await judgeHolder(Number(pid), slot, subject))
  }
  return findings.length > 0 ? findings : ok(`by no process${hidden}`)
}

async function judgeHolder(pid: number, slot: host.OccupiedSlot, { roots, service }: host.Subject): Promise<Finding> {
  const about = (file: string): string => host.readPageOrNothing(`${roots.proc}/${pid}/${file}`)
  const unit = UNIT.exec(about('cgroup'))?.[1]
  const parent = Number(/^PPid:\t(\d+)$/m.exec(about('status'))?.[1])
  const who = `${about('comm').trim() || 'a program'} (process ${pid}${unit === undefined ? '' : ` of ${unit}`})`
  const title = `${slot.name} in use`
  // A service has a child process for each slot.
  const isOurs = service.pid !== undefined && [pid, parent].includes(service.pid)
  if (isOurs || unit?.startsWith('slotwire') === true) return ok(`by the running service: ${who}`, title)
  if (!isDriven(slot, service)) return ok(`not ours, used by ${who}`, title)
  const look = unit === undefined ? `ps -f -p ${pid}` : `systemctl status ${pid}`
  const stop = `Stop it: systemctl disable --now ${shellWord(unit ?? '')}.`
  const remedy = (await isMainProcess(pid, unit)) ? stop : `Identify it and stop it where it was started: ${look}.`
  return failure(`by another program, but only one can use it: ${who}`, remedy, title)
}

/**
 * Whether the process is the purpose of its unit. Otherwise the unit must keep running: `ssh.service` may be the only access to this
 * device.
 */
async function isMainProcess(pid: number, unit: string | undefined): Promise<boolean> {
  if (unit?.endsWith('.service') !== true) return false
  const [shown] = await host.shownUnits(unit).catch(() => [])
  return shown?.['MainPID'] === String(pid) && shown['StandardInput']?.startsWith('tty') !== true
}

export async function checkPowerManager(subject: host.Subject): Promise<Findings> {
  const { service, user, clock, slots } = subject
  if (!service.services.some((name) => NEEDS_POWER.includes(name))) return []
  const socket = service.powerManager ?? POWER_MANAGER_SOCKET
  if (!existsSync(socket)) return judgeMissingSocket(socket, subject)
  const fault = accessFault(socket, user, host.READ_WRITE)
  if (fault !== undefined) return fault
  const slot = slots.find((one) => NEEDS_POWER.includes(one.service) && isDriven(one, service))
  if (slot === undefined) return ok(`${socket} exists; no module here needs it`)
  const client = createPowerManagerClient({ socket, clock })
  // A power manager without a limit grants even this: release it immediately.
  const ask = async (): Promise<void> => {
    if ((await client.request(slot.number, TOO_MUCH)).granted) await client.done(slot.number, false)
  }
  const check = 'Check that it and the service of the power module run: systemctl status slotwire-power-manager slotwire.'
  // A power manager that is busy with another module fails once: ask again.
  const answers = ask()
    .catch(ask)
    .then(() => ok(`${socket} answers`))
  return answers.catch((error: unknown) => failure(messageOf(error), check))
}

function judgeMissingSocket(socket: string, { service: { powerManager, services }, slots }: host.Subject): Finding {
  const start = 'Start the power manager: systemctl enable --now slotwire-power-manager'
  if (powerManager !== undefined) return failure(`${socket} does not exist`, `${start}; or omit --power-manager.`)
  const supply = slots.find(({ service }) => service === powerSupplier?.service && !services.includes(service))
  if (supply === undefined) return ok(`${socket} does not exist: the service manages the power itself`)
  const found = `${socket} does not exist, and another service drives the module in ${supply.name}: no pin gets power`
  return failure(found, `${start}.`)
}
