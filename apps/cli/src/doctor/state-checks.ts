import { existsSync, lstatSync, readdirSync, statfsSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isoTime, messageOf } from '@slotwire/core'
import { certificateStoreIn, formatProblem, isPlausible, readSettingsFile, SETTINGS_FILE, TokenFile } from '@slotwire/network'
import { shownCertificates } from '../cert/cert-show.ts'
import { shellWord } from '../terminal/text.ts'
import { accessFault, type Finding, type Findings, failure, ok, warning } from './check.ts'
import * as host from './host.ts'

/** Space for twice a backup, twice the audit log and the history. */
const ENOUGH_MIB = 64
const MIN_MIB = 8
/** Limit of files to examine: a service leaves a few dozen in a folder. */
const MAX_FILES = 1000
/** Inner folders of a service. They are examined too; other folders are not. */
const INNER_FOLDERS: readonly string[] = ['audit', 'history', 'tls', 'twin']
/** Locks are replaced, not written. */
const LOCK = /(^|\.)lock(\.\d+)?(\.stale)?$/
const ANOTHER = 'Choose another folder with --state <dir>, or run the service as the owner of this one.'
/** Warn this many days before an imported certificate ends. */
const SOON_DAYS = 14
/** Programs that synchronise the clock, and their files below `/run`. */
const SYNC_FILES = { systemd: 'systemd/timesync/synchronized', chrony: 'chrony/chronyd.pid', ntpd: 'ntpd.pid' }

export function checkStateFolder({ service: { state }, user }: host.Subject): Findings {
  const rights = statSync(state, { throwIfNoEntry: false })
  if (rights === undefined) return judgeMissing(state, user)
  if (!rights.isDirectory()) return failure(`${state} is not a folder`, ANOTHER)
  const fault = accessFault(state, user, host.USE_FOLDER)
  // The path may be a typing error: do not suggest a command that changes its owner.
  if (fault !== undefined) return { ...fault, remedy: ANOTHER }
  const foreign = foreignFile(state, user)
  // Only in the user's own folder: elsewhere the folder's owner chooses the file that this command would hand over.
  const give = `Change its owner: chown -h ${shellWord(user.name)} ${shellWord(foreign ?? '')}.`
  if (foreign !== undefined) return failure(`${user.name} may not use ${foreign}`, rights.uid === user.uid ? give : ANOTHER)
  const found = `${state} (${host.formatRights(rights)})`
  const isOpen = (rights.mode & 0o007) !== 0
  const open = warning(`${found} is open to all users`, `Restrict it: chmod o= ${shellWord(state)}.`)
  return [isOpen ? open : ok(found), judgeSpace(state)]
}

function judgeMissing(state: string, user: host.Account): Finding {
  let around = dirname(state)
  while (!existsSync(around)) around = dirname(around)
  const mayMake = statSync(around).isDirectory() && accessFault(around, user, host.USE_FOLDER) === undefined
  if (mayMake) return ok(`${state} does not exist yet: the service creates it`)
  const make = `install -d -o ${shellWord(user.name)} -m 700 ${shellWord(state)}`
  const found = `${state} does not exist, and ${user.name} may not create it`
  return failure(found, `Create it: ${make}; or choose another with --state <dir>.`)
}

/** A state file that the user may not write. A command run by root may have left it. Links are not followed. */
function foreignFile(folder: string, user: host.Account, inner = INNER_FOLDERS): string | undefined {
  for (const name of readdirSync(folder).slice(0, MAX_FILES)) {
    const path = join(folder, name)
    const rights = LOCK.test(name) ? undefined : lstatSync(path, { throwIfNoEntry: false })
    if (rights === undefined) continue
    const isFolder = rights.isDirectory()
    if (!host.mayUse(rights, user, isFolder ? host.USE_FOLDER : host.READ_WRITE)) return path
    const foreign = isFolder && inner.includes(name) ? foreignFile(path, user, []) : undefined
    if (foreign !== undefined) return foreign
  }
  return undefined
}

function judgeSpace(state: string): Finding {
  const { bavail, bsize } = statfsSync(state)
  const mib = Math.floor((bavail * bsize) / 1_048_576)
  const found = `${mib} MiB free for ${state}`
  const remedy = 'Find the largest folders and remove what you do not need: du -xh -d 2 / | sort -h | tail.'
  return mib >= ENOUGH_MIB ? ok(found, 'free space') : (mib >= MIN_MIB ? warning : failure)(found, remedy, 'free space')
}

export function checkSettings({ service: { state } }: host.Subject): Finding {
  const { text, problems } = readSettingsFile(state, SETTINGS_FILE)
  const [first, ...more] = problems
  if (first === undefined) return ok(text === undefined ? 'no file: the defaults apply' : join(state, SETTINGS_FILE))
  const found = `${formatProblem(first)}${more.length === 0 ? '' : ` (and ${more.length} more)`}`
  return failure(found, `Correct the file, then check it: slotwire config get --state ${shellWord(state)}.`)
}

export function checkTokens({ service: { state } }: host.Subject): Finding {
  try {
    return ok(`${new TokenFile(state).read().length} stored`)
  } catch (error) {
    return failure(messageOf(error), `Restore a backup: slotwire restore FILE --state ${shellWord(state)}.`)
  }
}

export function checkCertificates({ service: { state }, date }: host.Subject): Finding {
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

export function checkClock({ date, roots }: host.Subject): Finding {
  const now = `${isoTime(date).slice(0, 'YYYY-MM-DDThh:mm'.length).replace('T', ' ')} UTC`
  const set = 'timedatectl set-ntp true'
  const remedy = `Set it, because certificates and tokens depend on it: ${set}.`
  if (!isPlausible(date)) return failure(`${now} cannot be right`, remedy)
  const [synced] = Object.entries(SYNC_FILES).find(([, file]) => existsSync(`${roots.run}/${file}`)) ?? []
  if (synced !== undefined) return ok(`${now}, synchronised by ${synced}`)
  const install = `Synchronise it: ${set} (Debian: apt-get install systemd-timesyncd).`
  return warning(`${now}, but no known program synchronises the clock`, install)
}
