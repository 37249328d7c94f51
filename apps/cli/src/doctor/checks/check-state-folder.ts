import { constants } from 'node:fs'
import { access, stat, statfs } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { SERVICE_NAMES } from '@slotwire/device/names'
import { type Check, type Finding, failure, ok, warning } from '../check.ts'
import { namesIn, reasonOf, shellWord } from '../host/files.ts'
import { closedFolder, ENTER, formatRights, mayUse, READ, WRITE } from '../host/permission.ts'
import type { Installation } from '../installation.ts'
import { SERVE_ELSEWHERE } from '../slotwire-commands.ts'

const ALL = READ | WRITE | ENTER
const OTHERS = 0o007
const MIB = 1_048_576
/** A backup and the audit log, each of them twice, fit into this. */
const ENOUGH_MIB = 64
const LEAST_MIB = 8

/**
 * What a service, or a command for it, leaves in a state folder; folders of the services that have one each; what is just being written, and
 * locks for that.
 */
const OF_SLOTWIRE = new RegExp(
  [
    /^((settings|settings\.last-good)\.yaml|machine-id|(tokens|token-use|discovery)\.json)(\.lock)?(\.\d+)?(\.next|\.stale)?$/,
    /^(audit|tls|twin|restore\.next|lock(\.\d+)?(\.stale)?)$/,
    ...SERVICE_NAMES.map((name) => new RegExp(`^${name}$`)),
  ]
    .map(({ source }) => source)
    .join('|'),
)
/** Folders with files that a service uses besides. */
const INNER_FOLDERS = ['audit', 'tls', 'twin']
/** In one folder so many files at most are looked at: a service leaves a few dozen. */
const MOST_FILES = 1000
/** It is replaced, not written; who left it does not matter. */
const LOCK = /(^|\.)lock(\.\d+)?(\.stale)?$/
const ANOTHER = `Choose another folder: ${SERVE_ELSEWHERE}.`

export const stateFolderCheck: Check = {
  name: 'state folder',
  group: 'State',
  isForHardware: false,
  isPerService: true,
  subject: ({ state }) => state,
  run: async (installation) => {
    const { state, user } = installation
    const closed = await closedFolder(state, user)
    if (closed !== undefined)
      return [
        failure(
          `${user.name} may not enter ${closed}`,
          `Let the user in: chmod a+x ${shellWord(closed)}, or choose another folder with --state <dir>.`,
        ),
      ]
    const rights = await stat(state).catch(reasonOf)
    if (rights === 'ENOENT') return [await judgeMissing(installation)]
    if (typeof rights === 'string') return [failure(`${state} cannot be looked at (${rights})`, ANOTHER)]
    if (!rights.isDirectory()) return [failure(`${state} is no folder`, ANOTHER)]
    if (!mayUse(rights, user, ALL))
      return [failure(`${user.name} may not use ${state} (${formatRights(rights)})`, await give(installation))]
    // Nobody writes there, root neither.
    if ((await access(state, constants.W_OK).catch(reasonOf)) === 'EROFS') {
      return [
        failure(
          `${state} is on a file system that is read-only`,
          `Make it writable (mount -o remount,rw …), or choose another folder with --state <dir>.`,
        ),
      ]
    }
    const foreign = await foreignFile(installation, state)
    if (foreign !== undefined) return [failure(`${user.name} may not use ${foreign}`, await give(installation))]
    return [
      (rights.mode & OTHERS) === 0
        ? ok(`${state} (${formatRights(rights)})`)
        : warning(`${state} is open to everybody (${formatRights(rights)})`, `Keep others out: chmod o= ${shellWord(state)}.`),
      await judgeSpace(state),
    ]
  },
}

/** All of it is given to the user only where nothing but ours is in it: somebody may have typed the name of another folder. */
async function give({ state, user }: Installation): Promise<string> {
  const names = await namesIn(state).catch(() => undefined)
  if (names === undefined) return `Look again as root. ${ANOTHER}`
  const foreign = names.find((name) => !OF_SLOTWIRE.test(name))
  if (foreign !== undefined) return `It holds what is not Slotwire’s (${foreign}). ${ANOTHER}`
  const word = shellWord(state)
  return `Give it to the user: chown -R ${shellWord(user.name)} ${word} && chmod -R u+rwX ${word}.`
}

async function judgeMissing({ state, user }: Installation): Promise<Finding> {
  let around = dirname(state)
  while (around !== dirname(around) && (await stat(around).catch(reasonOf)) === 'ENOENT') around = dirname(around)
  const rights = await stat(around).catch(reasonOf)
  if (typeof rights !== 'string' && rights.isDirectory() && mayUse(rights, user, WRITE | ENTER)) {
    return ok(`${state} does not exist yet: the service makes it`)
  }
  const remedy = `Make it: install -d -o ${shellWord(user.name)} -m 700 ${shellWord(state)}, or choose another with --state <dir>.`
  return failure(`${state} does not exist, and ${user.name} may not make it in ${around}`, remedy)
}

/** Something in a folder of the state that the user may not write: a command that root typed may have left it. */
async function foreignFile(installation: Installation, folder: string): Promise<string | undefined> {
  const { state, user } = installation
  for (const name of ((await namesIn(folder).catch(() => undefined)) ?? []).slice(0, MOST_FILES)) {
    const file = join(folder, name)
    const rights = await stat(file).catch(() => undefined)
    if (rights === undefined || LOCK.test(name)) continue
    if (!mayUse(rights, user, rights.isDirectory() ? ALL : READ | WRITE)) return `${file} (${formatRights(rights)})`
    const isInner = folder === state && rights.isDirectory() && INNER_FOLDERS.includes(name)
    const inner = isInner ? await foreignFile(installation, file) : undefined
    if (inner !== undefined) return inner
  }
  return undefined
}

async function judgeSpace(state: string): Promise<Finding> {
  const { bavail, bsize } = await statfs(state)
  const mib = Math.floor((bavail * bsize) / MIB)
  const found = `${mib} MiB free for ${state}`
  if (mib >= ENOUGH_MIB) return ok(found, 'free space')
  const remedy = `See what takes it, and remove what is not needed: du -xh -d 2 / | sort -h | tail.`
  return mib >= LEAST_MIB ? warning(found, remedy, 'free space') : failure(found, remedy, 'free space')
}
