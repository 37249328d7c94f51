import { stat } from 'node:fs/promises'
import type { Clock } from '@slotwire/core'
import { withDeadline } from '@slotwire/driver'
import { ATTRIBUTE_PATIENCE, attributeValue, isTransient } from '@slotwire/driver/kernel'
import { type Check, type Finding, ok, warning } from '../check.ts'
import type { Account } from '../host/account.ts'
import { readText, reasonOf, shellWord } from '../host/files.ts'
import { closedFolder, formatRights, mayUse, READ } from '../host/permission.ts'
import { type OccupiedSlot, occupiedSlots } from '../host/slots.ts'

/** How long a `rid` may take, with all attempts: one that blocks fails nothing, as a check that does not come back would. */
export const RID_DEADLINE_MS = 3000
const CONSEQUENCE = 'a module that takes another’s place at once passes for the same'

export const identitiesCheck: Check = {
  name: 'identities',
  group: 'Hardware',
  isForHardware: true,
  subject: ({ roots }) => `rid in ${roots.sys}/class/sdbp/slot0 to slot7`,
  run: async (installation, clock) => {
    const slots = await occupiedSlots(installation)
    const findings = (await Promise.all(slots.map((slot) => judgeIdentity(slot, { user: installation.user, clock })))).flat()
    if (findings.length > 0) return findings
    return [ok(slots.length === 0 ? 'no module has one' : 'every module has one, so that none is mistaken for another')]
  },
}

/** What keeps the `rid` of a slot from being seen; `read` is given by tests of files that block. */
export async function judgeIdentity(
  { name, folder }: OccupiedSlot,
  { user, clock, read = readText }: { readonly user: Account; readonly clock: Clock; readonly read?: typeof readText },
): Promise<readonly Finding[]> {
  const file = `${folder}/rid`
  const told = (trouble: string, remedy: string): readonly Finding[] => [
    warning(`${trouble}: ${CONSEQUENCE}`, remedy, `${name} identity`),
  ]
  // Nothing of that slot can be read then, and that is told as a failure.
  if ((await closedFolder(file, user)) !== undefined) return []
  const rights = await stat(file).catch(reasonOf)
  const word = shellWord(file)
  const look = `See what is there as root: ls -l ${word}; dmesg | grep -i sdbp.`
  if (rights === 'ENOENT') return told(`${file} does not exist`, look)
  if (typeof rights === 'string') return told(`${file} cannot be looked at (${rights})`, look)
  if (!rights.isFile()) return told(`${file} is no regular file`, look)
  if (!mayUse(rights, user, READ)) {
    const remedy = `Let everybody read it until the next start: chmod a+r ${word}.`
    return told(`${user.name} may not read ${file} (${formatRights(rights)})`, remedy)
  }
  try {
    const late = (): Error => new Error(`no answer within ${RID_DEADLINE_MS / 1000} s`)
    const content = await withDeadline(
      clock,
      RID_DEADLINE_MS,
      patiently(() => read(file), clock),
      late,
    )
    return attributeValue(content) === '' ? told(`${file} is empty`, look) : []
  } catch (error) {
    return told(`${file} cannot be read (${reasonOf(error)})`, look)
  }
}

/** What cannot be read while a descriptor is updated is tried again. */
async function patiently(read: () => Promise<string>, clock: Clock): Promise<string> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await read()
    } catch (error) {
      if (!isTransient(reasonOf(error)) || attempt === ATTRIBUTE_PATIENCE.attempts) throw error
    }
    await clock.sleep(ATTRIBUTE_PATIENCE.pauseMs)
  }
}
