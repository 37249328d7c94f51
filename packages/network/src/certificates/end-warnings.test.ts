import { ManualClock } from '@slotwire/core'
import { expect, it } from 'vitest'
import { DAY, device, recordingLog } from './certificates.testkit.ts'
import { EndWarnings } from './end-warnings.ts'
import { CertificateStore } from './stored-certificates.ts'

/** End of the authority of a device that was set up on 2026-11-21. */
const END = Date.UTC(2056, 10, 13, 12)

it("EndWarnings warns of the authority's end once a day from 30 days before, and logs an error after it", async () => {
  const { folder } = await device()
  const stored = new CertificateStore(folder).read()
  if (stored === undefined) throw new Error('no authority')
  const clock = new ManualClock()
  const { log, lines } = recordingLog()
  const warnings = new EndWarnings({ clock, log })
  warnings.check(stored, END - 30 * DAY)
  expect(lines).toEqual([])
  warnings.check(stored, END - 30 * DAY + 1)
  warnings.check(stored, END - 29 * DAY)
  expect(lines).toMatchObject([
    {
      level: 'warn',
      fields: { validUntil: '2056-11-13T12:00:00.000Z', daysLeft: 29 },
      message: 'the authority ends soon: prepare a replacement (slotwire cert show)',
    },
  ])
  await clock.advance(DAY)
  warnings.check(stored, END + 1)
  expect(lines[1]).toMatchObject({ level: 'error', fields: { daysLeft: -1 } })
})
