import { stat } from 'node:fs/promises'
import { DESCRIPTOR_ATTRIBUTES, kernelDriverFile } from '@slotwire/driver/kernel'
import { type Check, type Finding, failure, ok } from '../check.ts'
import type { Account } from '../host/account.ts'
import { isThere, reasonOf, shellWord } from '../host/files.ts'
import { closedFolder, ENTER, formatRights, mayUse, READ } from '../host/permission.ts'
import { type OccupiedSlot, occupiedSlots, slotsFolder } from '../host/slots.ts'

/** Whether the user may read what the service reads below `/sys`; what only some alerts or a look for replaced modules need is told elsewhere. */
export const kernelFilesCheck: Check = {
  name: 'kernel files',
  group: 'Hardware',
  isForHardware: true,
  subject: (installation) => `rights of ${kernelDriverFile(installation.roots.sys)} and of ${slotsFolder(installation)}`,
  run: async (installation) => {
    const { roots, user } = installation
    const version = await judge(kernelDriverFile(roots.sys), user, { wanted: READ, deed: 'read', grant: 'a+r' })
    const list = await judge(slotsFolder(installation), user, { wanted: READ | ENTER, deed: 'list', grant: 'a+rx' })
    // Who may not list the slots gets no further; what keeps the user out of both is told once.
    const general = [...version, ...list.filter(({ found }) => version.every((other) => other.found !== found))]
    if (list.length > 0) return general
    const slots = await occupiedSlots(installation)
    const findings = [...general, ...(await Promise.all(slots.map((slot) => judgeSlot(slot, user)))).flat()]
    if (findings.length > 0) return findings
    return [ok((await isThere(slotsFolder(installation))) ? `readable for ${user.name}` : 'none is there')]
  },
}

interface Wish {
  readonly wanted: number
  readonly deed: string
  /** What allows it, in words of chmod. */
  readonly grant: string
}

/** What is missing is told by those who look for it. */
async function judge(path: string, user: Account, { wanted, deed, grant }: Wish): Promise<readonly Finding[]> {
  const closed = await closedFolder(path, user)
  if (closed !== undefined) return [shut(closed, user)]
  const rights = await stat(path).catch(reasonOf)
  if (rights === 'ENOENT') return []
  const word = shellWord(path)
  if (typeof rights === 'string') return [failure(`${path} cannot be looked at (${rights})`, `Look as root: stat ${word}.`)]
  if (mayUse(rights, user, wanted)) return []
  const found = `${user.name} may not ${deed} ${path} (${formatRights(rights)})`
  return [failure(found, `Let everybody do so until the next start: chmod ${grant} ${word}.`)]
}

function shut(folder: string, user: Account, name?: string): Finding {
  const remedy = `Let everybody in until the next start: chmod a+x ${shellWord(folder)}.`
  return failure(`${user.name} may not enter ${folder}`, remedy, name)
}

/** Attributes with the same rights are told together. */
async function judgeSlot({ name, folder }: OccupiedSlot, user: Account): Promise<readonly Finding[]> {
  const title = `${name} attributes`
  const closed = await closedFolder(`${folder}/${DESCRIPTOR_ATTRIBUTES[0]}`, user)
  if (closed !== undefined) return [shut(closed, user, title)]
  const refused = new Map<string, string[]>()
  for (const attribute of DESCRIPTOR_ATTRIBUTES) {
    const rights = await stat(`${folder}/${attribute}`).catch(() => undefined)
    if (rights === undefined || mayUse(rights, user, READ)) continue
    const shown = formatRights(rights)
    refused.set(shown, [...(refused.get(shown) ?? []), attribute])
  }
  return [...refused].map(([rights, names]) => {
    const remedy = `Let everybody read what says which module it is, until the next start: cd ${shellWord(folder)} && chmod a+r ${names.join(' ')}.`
    return failure(`${user.name} may not read ${names.join(', ')} in ${folder} (${rights})`, remedy, title)
  })
}
