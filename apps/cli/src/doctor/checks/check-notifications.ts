import { stat } from 'node:fs/promises'
import { type Check, type Finding, failure, ok } from '../check.ts'
import type { Account } from '../host/account.ts'
import { reasonOf, shellWord } from '../host/files.ts'
import { closedFolder, formatRights, giving, mayUse, READ } from '../host/permission.ts'
import { drivenSlots, type OccupiedSlot } from '../host/slots.ts'

export const notificationsCheck: Check = {
  name: 'notifications',
  group: 'Hardware',
  isForHardware: true,
  subject: ({ roots }) => `notification in ${roots.sys}/class/sdbp/slot0 to slot7, without reading it`,
  run: async (installation) => {
    const slots = await drivenSlots(installation)
    const findings = (await Promise.all(slots.map((slot) => judge(slot, installation.user)))).flat()
    return findings.length > 0
      ? findings
      : [
          ok(
            slots.length === 0
              ? 'none needed: no slot holds a module that is to be driven'
              : `readable for ${installation.user.name}`,
          ),
        ]
  },
}

/** What is wrong with those of a slot. */
async function judge({ name, folder }: OccupiedSlot, user: Account): Promise<readonly Finding[]> {
  const title = `${name} alerts`
  const file = `${folder}/notification`
  const closed = await closedFolder(file, user)
  if (closed !== undefined) {
    const remedy = `Let everybody in until the next start: chmod a+x ${shellWord(closed)}.`
    return [failure(`${user.name} may not enter ${closed}`, remedy, title)]
  }
  const rights = await stat(file).catch(reasonOf)
  if (rights === 'ENOENT') {
    return [
      failure(`${file} does not exist`, 'See why the kernel driver offers none, and update it: dmesg | grep -i sdbp.', title),
    ]
  }
  if (typeof rights === 'string')
    return [failure(`${file} cannot be looked at (${rights})`, `Look as root: stat ${shellWord(file)}.`, title)]
  if (mayUse(rights, user, READ)) return []
  const remedy = `Give it to the user until the next start: ${giving(file, user, 'r')}.`
  return [failure(`${user.name} may not read ${file} (${formatRights(rights)})`, remedy, title)]
}
