import { type Check, ok, warning } from './check.ts'
import { isThere } from './files.ts'

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
