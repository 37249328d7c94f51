import { stat } from 'node:fs/promises'
import type { Account } from './account.ts'
import { type Check, type Finding, failure, ok, warning } from './check.ts'
import { shellWord } from './files.ts'
import { formatRights, mayUse, READ, WRITE } from './permission.ts'
import { type OccupiedSlot, occupiedSlots } from './slots.ts'

export const notificationsCheck: Check = {
  name: 'notifications',
  group: 'Hardware',
  isForHardware: true,
  subject: ({ roots }) => `notification and close_notification in ${roots.sys}/class/sdbp/slot0 to slot7, without reading them`,
  run: async (installation) => {
    const slots = await occupiedSlots(installation)
    const findings = (await Promise.all(slots.map((slot) => judge(slot, installation.user)))).flat()
    return findings.length > 0
      ? findings
      : [ok(slots.length === 0 ? 'no module could notify' : `readable for ${installation.user.name}`)]
  },
}

/** What is wrong with those of a slot. */
async function judge({ name, folder }: OccupiedSlot, user: Account): Promise<readonly Finding[]> {
  const title = `${name} alerts`
  const [read, close] = [`${folder}/notification`, `${folder}/close_notification`]
  const [readRights, closeRights] = await Promise.all([read, close].map((file) => stat(file).catch(() => undefined)))
  if (readRights === undefined) {
    return [
      failure(`${read} does not exist`, 'See why the kernel driver offers none, and update it: dmesg | grep -i sdbp.', title),
    ]
  }
  if (!mayUse(readRights, user, READ))
    return [failure(refused(read, user, 'read', formatRights(readRights)), give(read, user, 'r'), title)]
  // Drivers before it was invented do without.
  if (closeRights === undefined || mayUse(closeRights, user, WRITE)) return []
  const found = refused(close, user, 'write', formatRights(closeRights))
  return [warning(`${found}: reading is ended by force instead`, give(close, user, 'w'), title)]
}

function refused(file: string, user: Account, deed: string, rights: string): string {
  return `${user.name} may not ${deed} ${file} (${rights})`
}

function give(file: string, user: Account, right: string): string {
  const word = shellWord(file)
  return `Give it to the user until the next start: chown ${user.name} ${word} && chmod u+${right} ${word}.`
}
