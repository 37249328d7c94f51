import { X509Certificate } from 'node:crypto'
import { chmodSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import type { ServerCertificate } from '@slotwire/edge'
import { describe, expect, it } from 'vitest'
import { DAY, device, fingerprintOf, MINUTE } from './certificates.testkit.ts'

const names = { hosts: ['line-3', 'line-3.local'], addresses: ['192.168.1.7'] }

async function used(options: Parameters<typeof device>[0] = {}) {
  const here = await device(options)
  const first = await here.certificates.use(names)
  const renewed: ServerCertificate[] = []
  here.certificates.onRenewed((certificate) => renewed.push(certificate))
  const valid = () => new X509Certificate(here.certificates.current?.cert ?? '')
  return { ...here, first, renewed, valid }
}

describe('server certificate', () => {
  it('stays the same for 59 days, and is renewed automatically on day 60', async () => {
    const { passTime, renewed, certificates, first, file } = await used()
    for (let day = 0; day < 59; day++) await passTime(DAY)
    expect(renewed).toEqual([])
    await passTime(DAY)
    await expect.poll(() => renewed.length).toBe(1)
    expect(renewed[0]).toEqual(certificates.current)
    expect(renewed[0]?.key).not.toBe(first.key)
    expect(readFileSync(file('server.pem'), 'utf8')).toBe((renewed[0]?.key ?? '') + (renewed[0]?.cert ?? ''))
  })

  it("is renewed within a minute when the device's clock jumps out of its validity", async () => {
    const { date, clock, renewed, valid } = await used()
    date.now += 400 * DAY
    await clock.advance(MINUTE)
    await expect.poll(() => renewed.length).toBe(1)
    expect(valid().validFrom).toBe('Dec 25 12:00:00 2027 GMT')
    date.now -= 400 * DAY
    await clock.advance(MINUTE)
    await expect.poll(() => renewed.length).toBe(2)
    expect(valid().validFrom).toBe('Nov 20 12:00:00 2026 GMT')
  })

  it('is replaced by one of the usual length when the device learns the date', async () => {
    const { date, clock, renewed, valid } = await used({ date: 0 })
    expect(valid().validTo).toBe('Dec 25 00:00:00 2054 GMT')
    date.now = Date.UTC(2026, 10, 21)
    await clock.advance(MINUTE)
    await expect.poll(() => renewed.length).toBe(1)
    expect(valid().validTo).toBe('Feb 18 00:00:00 2027 GMT')
  })

  it('is renewed when its names change, but not when only their order changes', async () => {
    const { certificates, renewed, valid } = await used()
    await certificates.use({ hosts: ['LINE-3.local', 'line-3'], addresses: ['192.168.1.7'] })
    expect(renewed).toEqual([])
    await certificates.use({ hosts: ['line-3-2'], addresses: [] })
    expect(renewed).toHaveLength(1)
    expect(valid().subjectAltName).toBe('DNS:line-3-2')
  })

  it('is renewed when an address is added', async () => {
    const { certificates, clock, renewed, valid } = await used()
    let addresses = ['192.168.1.7']
    await certificates.use(() => ({ hosts: names.hosts, addresses }))
    addresses = ['192.168.1.7', '10.0.0.5']
    await clock.advance(MINUTE)
    await expect.poll(() => renewed.length).toBe(1)
    expect(valid().checkIP('10.0.0.5')).toBe('10.0.0.5')
  })

  it('refuses invalid names and stays in use', async () => {
    const { certificates, first } = await used()
    await expect(certificates.use({ hosts: ['line 3'], addresses: [] })).rejects.toThrow(
      '"line 3" is not a valid name for a certificate',
    )
    expect(certificates.current).toEqual(first)
  })

  it('is replaced at a reload after another process renewed it', async () => {
    const { changes, renewed, first } = await used()
    const second = await changes.renew()
    expect(renewed).toEqual([second])
    expect(second.cert).not.toBe(first.cert)
  })

  it('stays in use after its file is lost or broken until a new one exists', async () => {
    const { certificates, file, renewed, first } = await used()
    writeFileSync(file('server.pem'), 'broken')
    const seen: (ServerCertificate | undefined)[] = []
    const reloading = certificates.reload()
    seen.push(certificates.current)
    await reloading
    expect(seen).toEqual([first])
    expect(renewed).toHaveLength(1)
    rmSync(file('server.pem'))
    await certificates.reload()
    expect(renewed).toHaveLength(2)
    expect(readFileSync(file('server.pem'), 'utf8')).toContain(certificates.current?.cert)
  })

  it('is replaced if it is broken or signed by another device', async () => {
    const other = await used()
    const { folder, file, first } = await used()
    writeFileSync(file('server.pem'), other.first.key + other.first.cert)
    const again = await device({ folder })
    expect(again.certificates.current).toBeUndefined()
    expect(again.of('warn')).toEqual(['the server certificate cannot be used: a new one will be made'])
    expect((await again.certificates.use(names)).cert).not.toBe(first.cert)
    writeFileSync(file('server.pem'), first.cert)
    const { certificates } = await device({ folder })
    await certificates.use(names)
    expect(certificates.current?.cert).not.toBe(first.cert)
  })
})

describe('a failed renewal', () => {
  it('keeps the certificate in use, logs an error, and is tried again in ten minutes', async () => {
    const { file, passTime, clock, certificates, first, renewed, of } = await used()
    // Makes the write fail: a file cannot replace a folder that is not empty.
    rmSync(file('server.pem'))
    mkdirSync(file('server.pem/full'), { recursive: true })
    await passTime(60 * DAY)
    await expect
      .poll(() => of('error'))
      .toEqual(['the server certificate could not be renewed: the next attempt is in ten minutes'])
    expect(certificates.current).toEqual(first)
    for (let minute = 0; minute < 9; minute++) {
      await expect.poll(() => clock.pending).toBe(1)
      await clock.advance(MINUTE)
    }
    await expect.poll(() => clock.pending).toBe(1)
    expect(of('error')).toHaveLength(1)
    await clock.advance(MINUTE)
    await expect.poll(() => of('error').length).toBe(2)
    rmSync(file('server.pem'), { recursive: true })
    await clock.advance(10 * MINUTE)
    await expect.poll(() => renewed.length).toBe(1)
    expect(counted(certificates)).toEqual({
      slotwire_certificate_renewals_total: 2,
      slotwire_certificate_renewal_failures_total: 2,
    })
  })

  it('throws and keeps no certificate if the file cannot be written at the first start', async () => {
    const { file, certificates } = await device()
    mkdirSync(file('server.pem/full'), { recursive: true })
    await expect(certificates.use(names)).rejects.toThrow(/server\.pem cannot be written \(EISDIR\)/)
    expect(certificates.current).toBeUndefined()
  })
})

function counted({ metrics }: Awaited<ReturnType<typeof device>>['certificates']): Record<string, number | undefined> {
  const counters = metrics().filter(({ type }) => type === 'counter')
  return Object.fromEntries(counters.map(({ name, samples }) => [name, samples[0]?.value]))
}

it('audit log of certificates records automatic changes of the service', async () => {
  const { certificates, changes, audited, valid, passTime } = await used()
  await changes.renew()
  await passTime(60 * DAY)
  await expect.poll(() => audited.length).toBe(3)
  const fingerprint = fingerprintOf(certificates)
  expect(audited).toMatchObject([
    { action: 'certificate.authority', what: { subject: 'CN=line-3 1f2e3d4c device CA, O=Slotwire', fingerprint } },
    { action: 'certificate.renew', what: { reason: 'no certificate exists yet' } },
    {
      who: 'service',
      action: 'certificate.renew',
      what: { reason: 'it ends soon', fingerprint: valid().fingerprint256, validUntil: '2027-04-19T12:00:00.000Z' },
      result: 'success',
    },
  ])
})

it('metrics of certificates report the end of authority and server certificate in seconds', async () => {
  const { certificates } = await used()
  expect(certificates.metrics()[0]).toMatchObject({
    name: 'slotwire_certificate_not_after_timestamp_seconds',
    type: 'gauge',
    samples: [
      { labels: { certificate: 'authority', source: 'own' }, value: Date.UTC(2056, 10, 13, 12) / 1000 },
      { labels: { certificate: 'server', source: 'own' }, value: Date.UTC(2027, 1, 18, 12) / 1000 },
    ],
  })
  expect(counted(certificates)).toEqual({
    slotwire_certificate_renewals_total: 1,
    slotwire_certificate_renewal_failures_total: 0,
  })
})

it('closed certificates have no timer and write nothing, even on a late signal', async () => {
  const { certificates, clock, renewed, date } = await used()
  await certificates.close()
  expect(clock.pending).toBe(0)
  date.now += 400 * DAY
  await clock.advance(DAY)
  await certificates.reload()
  expect(renewed).toEqual([])
})

it('a private key that others can read is made private again, with a warning', async () => {
  const { folder, file } = await used()
  chmodSync(file('authority.key'), 0o644)
  const { of } = await device({ folder })
  expect(of('warn')).toEqual(['others could read this private key: its permissions now allow only its owner'])
  expect(statSync(file('authority.key')).mode & 0o777).toBe(0o600)
})
