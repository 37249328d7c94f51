import { existsSync } from 'node:fs'
import { fromIsoTime, isoTime } from '@slotwire/core'
import { type Check, failure, ok, warning } from './check.ts'
import { kernelModuleCheck, modulesCheck, slotAccessCheck } from './hardware-checks.ts'
import { originalServicesCheck } from './original-services.ts'
import { powerManagerCheck } from './power-manager-check.ts'
import { doorsCheck, runningServiceCheck } from './service-checks.ts'
import { slotHoldersCheck } from './slot-holders.ts'
import { certificatesCheck, settingsCheck, stateFolderCheck, tokensCheck } from './state-checks.ts'
import type { Subject } from './subject.ts'
import { unitsCheck } from './units.ts'

/** A clock outside this range is wrong: this program did not exist before it, and will not be used after it. */
const EARLIEST = fromIsoTime('2026-11-01T00:00:00Z')
const LATEST = fromIsoTime('2100-01-01T00:00:00Z')
/** Files below `/run` of programs that synchronise the clock, and the programs. */
const SYNC_FILES = new Map([
  ['systemd/timesync/synchronized', 'systemd'],
  ['chrony/chronyd.pid', 'chrony'],
  ['ntpd.pid', 'ntpd'],
])

export const clockCheck: Check = {
  name: 'clock',
  group: 'Time',
  lookedAt: ({ roots }) => [...SYNC_FILES.keys()].map((file) => `${roots.run}/${file}`).join(', '),
  run: ({ date, roots }) => {
    const now = `${isoTime(date).slice(0, 'YYYY-MM-DDThh:mm'.length).replace('T', ' ')} UTC`
    const set = 'timedatectl set-ntp true'
    if (date < EARLIEST || date >= LATEST)
      return [failure(`${now} cannot be right`, `Set it, because certificates and tokens depend on it: ${set}.`)]
    const synced = [...SYNC_FILES].find(([file]) => existsSync(`${roots.run}/${file}`))
    if (synced !== undefined) return [ok(`${now}, synchronised by ${synced[1]}`)]
    const remedy = `Synchronise it: ${set} (Debian: apt-get install systemd-timesyncd).`
    return [warning(`${now}, but no known program synchronises the clock`, remedy)]
  },
}

/** In the order of the report. */
const ALL = [
  ...[unitsCheck, runningServiceCheck, doorsCheck],
  ...[kernelModuleCheck, modulesCheck, slotAccessCheck, slotHoldersCheck, originalServicesCheck, powerManagerCheck],
  ...[stateFolderCheck, settingsCheck, tokensCheck, certificatesCheck, clockCheck],
]

export function checksFor({ hardware }: Pick<Subject, 'hardware'>): readonly Check[] {
  return ALL.filter(({ group }) => group !== 'Hardware' || hardware === 'kernel')
}
