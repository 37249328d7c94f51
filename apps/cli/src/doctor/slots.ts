import { existsSync, readdirSync, readlinkSync, realpathSync } from 'node:fs'
import { type Clock, orElse } from '@slotwire/core'
import { allServices } from '@slotwire/device'
import { attributeValue, DESCRIPTOR_ATTRIBUTES } from '@slotwire/driver/kernel'
import { shellWord } from '../terminal/text.ts'
import { type Finding, failure, type OccupiedSlot, ok, type Subject } from './check.ts'
import { accessFault, isBlocked, READ, READ_WRITE, readPageOrNothing } from './host.ts'
import { propertiesOf } from './units.ts'

/** The first name behind the slices. A container or a user's systemd counts as one unit. */
const UNIT = /^(?:0:|\d+:name=systemd):(?:\/[^/\n]+\.slice)*\/([\w@.:\\-]+\.(?:service|scope|socket))(?:\/|$)/m

/** The folder in which the kernel lists slots. */
export const slotsFolder = ({ sys }: Pick<Subject['roots'], 'sys'>): string => `${sys}/class/sdbp`

/** Reads which slots hold modules. */
export function occupiedSlots(roots: Pick<Subject['roots'], 'sys' | 'dev'>, clock: Clock): Promise<readonly OccupiedSlot[]> {
  const all = slotsFolder(roots)
  const names = orElse([], () => readdirSync(all)).filter((name) => /^slot[0-7]$/.test(name))
  const slots = names.sort().map(async (name) => {
    const folder = `${all}/${name}`
    const blocks = await isBlocked(clock, ...DESCRIPTOR_ATTRIBUTES.map((attribute) => `${folder}/${attribute}`))
    const type = blocks ? '' : attributeValue(readPageOrNothing(`${folder}/vendor_product_id`))
    const named = { number: Number(name.slice(-1)), name: name.replace('slot', 'slot ') }
    return { ...named, folder, file: `${roots.dev}/${name}`, type, isBlocked: blocks }
  })
  return Promise.all(slots)
}

/** `vendor_product_id`s that these services drive. */
export function typesOf(services: readonly string[]): readonly string[] {
  return allServices.filter(({ contract }) => services.includes(contract.service)).map(({ vendorProductId }) => vendorProductId)
}

/** Slots with modules of our services. A module whose type is unreadable now may be ours. */
export function drivenSlots({ slots, service }: Subject): readonly OccupiedSlot[] {
  return slots.filter(({ type }) => type === '' || typesOf(service.services).includes(type))
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
