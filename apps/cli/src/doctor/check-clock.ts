import { fromIsoTime, isoTime } from '@slotwire/core'
import { type Check, failure, ok } from './check.ts'

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
