import { fromIsoTime, isoTime } from '@slotwire/core'
import { type Check, failure, ok, warning } from '../check.ts'
import { isThere } from '../host/files.ts'

/** This program did not exist before, and will not be in use after. */
const EARLIEST = fromIsoTime('2026-11-01T00:00:00Z')
const LATEST = fromIsoTime('2100-01-01T00:00:00Z')

export const clockCheck: Check = {
  name: 'date',
  group: 'Time',
  isForHardware: false,
  subject: () => 'the date of this machine',
  run: ({ date }) => {
    const found = `${isoTime(date).slice(0, 'YYYY-MM-DDThh:mm'.length).replace('T', ' ')} UTC`
    if (date >= EARLIEST && date < LATEST) return [ok(found)]
    const remedy = 'Set it, for certificates and tokens go by it: timedatectl set-ntp true, or date --set "YYYY-MM-DD hh:mm".'
    return [failure(`${found} cannot be right`, remedy)]
  },
}

/** What those who set the clock leave in `/run` while they do. */
const SIGNS = [
  { file: 'systemd/timesync/synchronized', found: 'by systemd-timesyncd' },
  { file: 'chrony/chronyd.pid', found: 'chrony runs; chronyc tracking says how far it is' },
  { file: 'ntpd.pid', found: 'ntpd runs; ntpq -p says how far it is' },
]

export const clockSynchronisedCheck: Check = {
  name: 'synchronised',
  group: 'Time',
  isForHardware: false,
  subject: ({ roots }) => SIGNS.map(({ file }) => `${roots.run}/${file}`).join(', '),
  run: async ({ roots }) => {
    for (const { file, found } of SIGNS) if (await isThere(`${roots.run}/${file}`)) return [ok(found)]
    const remedy = 'Have it synchronised: timedatectl set-ntp true (Debian: apt-get install systemd-timesyncd).'
    return [warning('nobody here is known to set the clock', remedy)]
  },
}
