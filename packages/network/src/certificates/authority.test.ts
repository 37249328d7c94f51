import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { ManualClock } from '@slotwire/core'
import { describe, expect, it } from 'vitest'
import { RecordingLog } from '../../../driver/src/rack/recording-log.testkit.ts'
import { DAY, device, fingerprintOf } from './certificates.testkit.ts'
import { EndWarnings } from './certificates.ts'
import { CertificateStore } from './stored-certificates.ts'

const REMEDY =
  /the certificate authority is broken: .*\. Restore .*authority\.key and .*authority\.pem from a backup\. Or remove both: a new authority is made, and every client must trust the new one/

async function known() {
  const here = await device()
  await here.certificates.use({ hosts: ['line-3'], addresses: [] })
  await here.certificates.close()
  const contents = (): Record<string, string> =>
    Object.fromEntries(readdirSync(here.folder).map((name) => [name, readFileSync(here.file(name), 'utf8')]))
  /** Expects an error and unchanged files: clients know this authority. */
  const refuses = async (reason: string): Promise<void> => {
    const before = contents()
    const opening = device({ folder: here.folder })
    await expect(opening).rejects.toThrow(reason)
    await expect(opening).rejects.toThrow(REMEDY)
    expect(contents()).toEqual(before)
  }
  return { ...here, refuses }
}

describe('an authority that clients know', () => {
  it('is not replaced when its key is missing', async () => {
    const { file, refuses } = await known()
    rmSync(file('authority.key'))
    await refuses('authority.key is missing')
  })

  it('is not replaced when its key belongs to another authority', async () => {
    const other = await known()
    const { file, refuses, certificates } = await known()
    copyFileSync(other.file('authority.key'), file('authority.key'))
    await refuses('authority.pem is not the certificate of')
    const keyAlone = readFileSync(other.file('authority.key'), 'utf8').replace(/-----BEGIN CERTIFICATE[^]*/, '')
    writeFileSync(file('authority.key'), keyAlone)
    await refuses('authority.key holds no certificate in PEM')
    rmSync(file('authority.pem'))
    await refuses('authority.key holds no certificate in PEM')
    writeFileSync(file('authority.key'), keyAlone + certificates.authorityPem)
    await refuses('does not match its certificate')
  })

  it('is not replaced when its key is truncated or empty, or a byte of it changed', async () => {
    const { file, refuses } = await known()
    const whole = readFileSync(file('authority.key'), 'utf8')
    for (const part of [whole.slice(0, 100), '']) {
      writeFileSync(file('authority.key'), part)
      await refuses('holds no private key in PEM')
    }
    writeFileSync(file('authority.key'), whole.replace(/^M/m, 'N'))
    await refuses('the private key in')
  })

  it('is not replaced by an ordinary certificate', async () => {
    const { file, refuses } = await known()
    copyFileSync(file('server.pem'), file('authority.key'))
    writeFileSync(file('authority.pem'), readFileSync(file('server.pem')))
    await refuses('is not an authority on the curve P-256')
  })

  it.each<[string, (path: string) => void]>([
    ['is missing', (path) => rmSync(path)],
    ['is empty', (path) => writeFileSync(path, '')],
    ['is truncated', (path) => truncateSync(path, 100)],
    ['has a changed byte', (path) => writeFileSync(path, readFileSync(path, 'utf8').replace(/^M/m, 'N'))],
  ])('is published again if its public file %s', async (_what, damage) => {
    const { folder, file, certificates } = await known()
    damage(file('authority.pem'))
    const again = await device({ folder })
    expect(fingerprintOf(again.certificates)).toBe(fingerprintOf(certificates))
    expect(readFileSync(file('authority.pem'), 'utf8')).toBe(certificates.authorityPem)
  })

  it('stays in use when its files break while the service runs, and logs an error', async () => {
    const { certificates, file, of, lines } = await device()
    const before = await certificates.use({ hosts: ['line-3'], addresses: [] })
    const fingerprint = fingerprintOf(certificates)
    writeFileSync(file('authority.key'), 'broken')
    await certificates.reload()
    expect(of('error')).toEqual(['the certificates cannot be read: those in use are kept'])
    expect(String((lines.at(-1)?.fields as { err: unknown }).err)).toMatch(REMEDY)
    expect([certificates.current, fingerprintOf(certificates)]).toEqual([before, fingerprint])
  })

  it('is created again, with a new server certificate, after both files were removed', async () => {
    const { folder, file, certificates } = await known()
    for (const name of ['authority.key', 'authority.pem']) rmSync(file(name))
    const again = await device({ folder })
    expect(fingerprintOf(again.certificates)).not.toBe(fingerprintOf(certificates))
    expect(again.certificates.current).toBeUndefined()
    expect(again.of('info')).toEqual(['a certificate authority for this device was created: clients must trust it'])
    expect(existsSync(file('authority.pem'))).toBe(true)
  })
})

/** End of the authority of a device that was set up on 2026-11-21. */
const END = Date.UTC(2056, 10, 13, 12)

it("EndWarnings warns of the authority's end once a day from 30 days before, and logs an error after it", async () => {
  const { folder } = await device()
  const stored = new CertificateStore(folder).read()
  if (stored === undefined) throw new Error('no authority')
  const clock = new ManualClock()
  const log = new RecordingLog()
  const warnings = new EndWarnings({ clock, log })
  warnings.check(stored, END - 30 * DAY)
  expect(log.lines).toEqual([])
  warnings.check(stored, END - 30 * DAY + 1)
  warnings.check(stored, END - 29 * DAY)
  expect(log.lines).toMatchObject([
    {
      level: 'warn',
      fields: { validUntil: '2056-11-13T12:00:00.000Z', daysLeft: 29 },
      message: 'the authority ends soon: prepare a replacement (slotwire cert show)',
    },
  ])
  await clock.advance(DAY)
  warnings.check(stored, END + 1)
  expect(log.lines[1]).toMatchObject({ level: 'error', fields: { daysLeft: -1 } })
})
