import type { Stats } from 'node:fs'
import { stat } from 'node:fs/promises'
import { type Check, type Finding, failure, ok } from '../check.ts'
import type { Account } from '../host/account.ts'
import { reasonOf, shellWord } from '../host/files.ts'
import { closedFolder, formatRights, giving, mayUse, READ, WRITE } from '../host/permission.ts'
import { drivenSlots, type OccupiedSlot } from '../host/slots.ts'

export const slotFilesCheck: Check = {
  name: 'slot files',
  group: 'Hardware',
  isForHardware: true,
  subject: ({ roots }) => `${roots.dev}/slot0 to slot7, as far as they are to be driven, without opening them`,
  run: async (installation) => {
    const slots = await drivenSlots(installation)
    if (slots.length === 0) return [ok('none needed: no slot holds a module that is to be driven')]
    return Promise.all(slots.map((slot) => judge(slot, installation.user)))
  },
}

async function judge({ name, folder, file }: OccupiedSlot, user: Account): Promise<Finding> {
  const title = `${name} file`
  const looked = await stat(file).catch(reasonOf)
  if (looked === 'ENOENT') return failure(`${file} does not exist`, missing(folder), title)
  if (typeof looked === 'string')
    return failure(`${file} cannot be looked at (${looked})`, `See what is there as root: stat ${shellWord(file)}.`, title)
  const closed = await closedFolder(file, user)
  if (closed !== undefined) {
    return failure(`${user.name} may not enter ${closed}`, `Let everybody in: chmod a+x ${shellWord(closed)}.`, title)
  }
  return judgeSlotFile({ name: title, file, stats: looked, user })
}

/** The kernel makes these files by itself, where /dev is its own: nothing else does, and a made-up event could be taken for a change. */
function missing(folder: string): string {
  const look = `ls -l ${shellWord(`${folder}/dev`)}; findmnt /dev`
  return `See whether the kernel made one (${look}: devtmpfs has them all), then load the driver anew: modprobe -r sdbpk && modprobe sdbpk.`
}

/** What the rights of a slot's file say. */
export function judgeSlotFile({
  name,
  file,
  stats,
  user,
}: {
  readonly name: string
  readonly file: string
  readonly stats: Pick<Stats, 'uid' | 'gid' | 'mode' | 'isCharacterDevice'>
  readonly user: Account
}): Finding {
  if (!stats.isCharacterDevice()) {
    const remedy = `See whose it is (ls -ld ${shellWord(file)}), and whether --dev-root names the folder of the devices, as a rule /dev.`
    return failure(`${file} is no device`, remedy, name)
  }
  if (mayUse(stats, user, READ | WRITE)) return ok(`${user.name} may read and write it (${formatRights(stats)})`, name)
  const remedy = `Give it to the user until the next start: ${giving(file, user, 'rw')}; the package’s udev rule does so at every start.`
  return failure(`${user.name} may not read and write ${file} (${formatRights(stats)})`, remedy, name)
}
