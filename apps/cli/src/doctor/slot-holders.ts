import { existsSync, readdirSync, readlinkSync, realpathSync } from 'node:fs'
import { orElse } from '@slotwire/core'
import { allServices } from '@slotwire/device'
import { attributeValue } from '@slotwire/driver/kernel'
import { shellWord } from '../terminal/shell-word.ts'
import { type Check, type Finding, failure, ok } from './check.ts'
import { readPageOrNothing } from './host.ts'
import type { Subject } from './subject.ts'
import { propertiesOf } from './units.ts'

/** A slot with a module in it. */
export interface OccupiedSlot {
  readonly number: number
  readonly name: string
  /** `/sys/class/sdbp/slotN` */
  readonly folder: string
  /** `/dev/slotN`. Never opened here: closing it would stop the module. */
  readonly file: string
  /** `vendor_product_id` of the module; empty if unreadable. */
  readonly type: string
}

/** The folder in which the kernel lists slots. */
export const slotsFolder = ({ roots }: Pick<Subject, 'roots'>): string => `${roots.sys}/class/sdbp`

/** The slots that hold modules, in order. Throws the system's error. */
export function occupiedSlots({ roots }: Pick<Subject, 'roots'>): readonly OccupiedSlot[] {
  const all = slotsFolder({ roots })
  const names = existsSync(all) ? readdirSync(all).sort() : []
  return names
    .filter((name) => /^slot[0-7]$/.test(name))
    .map((name) => {
      const folder = `${all}/${name}`
      const type = attributeValue(readPageOrNothing(`${folder}/vendor_product_id`))
      return { number: Number(name.slice(-1)), name: name.replace('slot', 'slot '), folder, file: `${roots.dev}/${name}`, type }
    })
}

/** Slots with modules of our services. A module whose type is unreadable now may be ours. */
export function drivenSlots(subject: Subject): readonly OccupiedSlot[] {
  const types = typesOf(subject.services.flatMap(({ services }) => services))
  return occupiedSlots(subject).filter(({ type }) => type === '' || types.includes(type))
}

/** `vendor_product_id`s that these services drive. */
export function typesOf(services: readonly string[]): readonly string[] {
  return allServices.filter(({ contract }) => services.includes(contract.service)).map(({ vendorProductId }) => vendorProductId)
}

/** The first name behind the slices. A container or a user's systemd counts as one unit. */
const UNIT = /^(?:0:|\d+:name=systemd):(?:\/[^/\n]+\.slice)*\/([\w@.:\\-]+\.(?:service|scope|socket))(?:\/|$)/m

export const slotHoldersCheck: Check = {
  name: 'slots in use',
  group: 'Hardware',
  lookedAt: ({ roots }) => `processes that have a slot open: ${roots.proc}/*/fd`,
  run: async (subject) => {
    const { proc } = subject.roots
    const slots = occupiedSlots(subject).map((slot) => ({ ...slot, path: orElse(slot.file, () => realpathSync(slot.file)) }))
    const findings: Finding[] = []
    let isPartial = false
    for (const pid of readdirSync(proc).filter((name) => /^\d+$/.test(name))) {
      const folder = `${proc}/${pid}/fd`
      const paths = orElse(undefined, () =>
        readdirSync(folder).map((name) => orElse('', () => readlinkSync(`${folder}/${name}`))),
      )
      isPartial ||= paths === undefined && existsSync(`${proc}/${pid}`)
      const held = slots.filter(({ path }) => paths?.includes(path) === true)
      for (const slot of held) findings.push(await judgeHolder(Number(pid), slot, subject))
    }
    if (findings.length > 0) return findings
    return [ok(isPartial ? 'by no process that this user may examine; run this as root to see all' : 'by no process')]
  },
}

async function judgeHolder(pid: number, { number, name }: OccupiedSlot, subject: Subject): Promise<Finding> {
  const about = (file: string): string => readPageOrNothing(`${subject.roots.proc}/${pid}/${file}`)
  const unit = UNIT.exec(about('cgroup'))?.[1]
  const parent = Number(/^PPid:\t(\d+)$/m.exec(about('status'))?.[1])
  const who = `${about('comm').trim() || 'a program'} (process ${pid}${unit === undefined ? '' : ` of ${unit}`})`
  const title = `${name} in use`
  // A service has a child process for each slot.
  const isOurs = subject.services.some((service) => service.pid === pid || service.pid === parent)
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
