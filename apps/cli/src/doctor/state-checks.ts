import { existsSync, lstatSync, readdirSync, statfsSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fromIsoTime, isoTime, messageOf } from '@slotwire/core'
import { certificateStoreIn, formatProblem, readSettingsFile, SETTINGS_FILE, TokenFile } from '@slotwire/network'
import { shownCertificates } from '../cert/cert-show.ts'
import { formerFolders } from '../state/state-folder.ts'
import { shellWord } from '../terminal/text.ts'
import { type Account, type Finding, failure, ok, type Subject, warning } from './check.ts'
import { accessFault, formatRights, mayUse, READ_WRITE, USE_FOLDER } from './host.ts'

const OTHERS = 0o007
const BYTES_PER_MIB = 1_048_576
/** Space for twice a backup, twice the audit log and the history. */
const ENOUGH_MIB = 64
const LEAST_MIB = 8
/** Limit of files to examine: a service leaves a few dozen in a folder. */
const MOST_FILES = 1000
/** Inner folders of a service. They are examined too; other folders are not. */
const INNER_FOLDERS = ['audit', 'history', 'tls', 'twin']
/** Locks are replaced, not written. */
const LOCK = /(^|\.)lock(\.\d+)?(\.stale)?$/
const ANOTHER = 'Choose another folder with --state <dir>, or run the service as the owner of this one.'
/** Warn this many days before an imported certificate ends. */
const SOON_DAYS = 14
/** A clock outside this range is wrong: this program did not exist before it, and will not be used after it. */
const [EARLIEST, LATEST] = [fromIsoTime('2026-11-01T00:00:00Z'), fromIsoTime('2100-01-01T00:00:00Z')]
/** Programs that synchronise the clock, and their files below `/run`. */
const SYNC_FILES = { systemd: 'systemd/timesync/synchronized', chrony: 'chrony/chronyd.pid', ntpd: 'ntpd.pid' }

const isThere = (path: string): boolean => statSync(path, { throwIfNoEntry: false }) !== undefined

export function checkStateFolder({ service: { state }, user }: Subject): Finding | readonly Finding[] {
  if (!isThere(state)) return judgeMissing(state, user)
  const rights = statSync(state)
  if (!rights.isDirectory()) return failure(`${state} is not a folder`, ANOTHER)
  const fault = accessFault(state, user, USE_FOLDER)
  // The path may be a typing error: do not suggest a command that changes its owner.
  if (fault !== undefined) return { ...fault, remedy: ANOTHER }
  const foreign = foreignFile(state, user)
  if (foreign !== undefined) {
    // Only in the user's own folder: elsewhere the folder's owner chooses the file that this command would hand over.
    const give = `Change its owner: chown -h ${shellWord(user.name)} ${shellWord(foreign)}.`
    return failure(`${user.name} may not use ${foreign}`, rights.uid === user.uid ? give : ANOTHER)
  }
  const found = `${state} (${formatRights(rights)})`
  const isOpen = (rights.mode & OTHERS) !== 0
  const open = warning(`${found} is open to all users`, `Restrict it: chmod o= ${shellWord(state)}.`)
  const former = formerFolders(state).map(({ folder, remedy }) =>
    warning(`${folder} has the state of a service for one module type`, remedy, 'former state folder'),
  )
  return [isOpen ? open : ok(found), judgeSpace(state), ...former]
}

function judgeMissing(state: string, user: Account): Finding {
  let around = dirname(state)
  while (!isThere(around)) around = dirname(around)
  const mayMake = statSync(around).isDirectory() && accessFault(around, user, USE_FOLDER) === undefined
  if (mayMake) return ok(`${state} does not exist yet: the service creates it`)
  const make = `install -d -o ${shellWord(user.name)} -m 700 ${shellWord(state)}`
  const remedy = `Create it: ${make}; or choose another with --state <dir>.`
  return failure(`${state} does not exist, and ${user.name} may not create it`, remedy)
}

/** A state file that the user may not write. A command run by root may have left it. */
function foreignFile(folder: string, user: Account, isInner = false): string | undefined {
  for (const name of readdirSync(folder).slice(0, MOST_FILES)) {
    const path = join(folder, name)
    const rights = lstatSync(path, { throwIfNoEntry: false })
    if (rights === undefined || LOCK.test(name)) continue
    if (!mayUse(rights, user, rights.isDirectory() ? USE_FOLDER : READ_WRITE)) return path
    const inner = !isInner && rights.isDirectory() && INNER_FOLDERS.includes(name) ? foreignFile(path, user, true) : undefined
    if (inner !== undefined) return inner
  }
  return undefined
}

function judgeSpace(state: string): Finding {
  const { bavail, bsize } = statfsSync(state)
  const mib = Math.floor((bavail * bsize) / BYTES_PER_MIB)
  const found = `${mib} MiB free for ${state}`
  const remedy = 'Find the largest folders and remove what you do not need: du -xh -d 2 / | sort -h | tail.'
  return mib >= ENOUGH_MIB ? ok(found, 'free space') : (mib >= LEAST_MIB ? warning : failure)(found, remedy, 'free space')
}

export function checkSettings({ service: { state } }: Subject): Finding {
  const { text, problems } = readSettingsFile(state, SETTINGS_FILE)
  const [first, ...more] = problems
  if (first === undefined) return ok(text === undefined ? 'no file: the defaults apply' : join(state, SETTINGS_FILE))
  const found = `${formatProblem(first)}${more.length === 0 ? '' : ` (and ${more.length} more)`}`
  return failure(found, `Correct the file, then check it: slotwire config get --state ${shellWord(state)}.`)
}

export function checkTokens({ service: { state } }: Subject): Finding {
  try {
    return ok(`${new TokenFile(state).read().length} stored`)
  } catch (error) {
    return failure(messageOf(error), `Restore a backup: slotwire restore FILE --state ${shellWord(state)}.`)
  }
}

export function checkCertificates({ service: { state }, date }: Subject): Finding {
  const folder = `--state ${shellWord(state)}`
  const importNew = `Get a new certificate and import it: slotwire cert import --certificate FILE --key FILE ${folder}.`
  const stored = certificateStoreIn(state).read()
  if (stored === undefined) return ok('none yet: the service creates them when it opens the network door')
  const { source, authority, server, fault } = shownCertificates(stored, date)
  if (fault !== null) return failure(fault, `Make a new one: slotwire cert renew ${folder}.`)
  const { validFrom, validUntil, daysLeft } = server ?? authority
  if (authority.daysLeft < 0) return failure(`the certificate of the authority ended on ${authority.validUntil}`, importNew)
  if (validFrom > isoTime(date)) return failure(`valid only from ${validFrom}`, 'Set the clock: timedatectl set-ntp true.')
  if (daysLeft < 0 && source !== 'own') return failure(`ended on ${validUntil}`, importNew)
  const renewed = `To renew it now: slotwire cert renew ${folder}.`
  if (daysLeft < 0) return warning(`ended on ${validUntil}: renewed at the next start`, renewed)
  if (source === 'own') return ok(`valid until ${validUntil}, renewed automatically`)
  return daysLeft > SOON_DAYS ? ok(`valid until ${validUntil}, imported`) : warning(`ends in ${daysLeft} days`, importNew)
}

export function checkClock({ date, roots }: Subject): Finding {
  const now = `${isoTime(date).slice(0, 'YYYY-MM-DDThh:mm'.length).replace('T', ' ')} UTC`
  const set = 'timedatectl set-ntp true'
  const remedy = `Set it, because certificates and tokens depend on it: ${set}.`
  if (date < EARLIEST || date >= LATEST) return failure(`${now} cannot be right`, remedy)
  const [synced] = Object.entries(SYNC_FILES).find(([, file]) => existsSync(`${roots.run}/${file}`)) ?? []
  if (synced !== undefined) return ok(`${now}, synchronised by ${synced}`)
  const install = `Synchronise it: ${set} (Debian: apt-get install systemd-timesyncd).`
  return warning(`${now}, but no known program synchronises the clock`, install)
}
