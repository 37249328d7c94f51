import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { certificatesFolder } from '@slotwire/gateway'
import { describe, expect, it } from 'vitest'
import type { Told } from '../run/running-service.ts'
import { UsageError } from '../terminal/usage-error.ts'
import { NAMES, useCertCommand } from './cert-command.testkit.ts'

const NO_CERTIFICATES = 'there are no certificates yet: the service makes them when it first opens its network door'
const { here, cert, json, service, audited } = useCertCommand()

describe('slotwire cert', () => {
  it.each(['show', 'names', 'authority', 'renew'])(
    '%s says before the first start of a network door that there is nothing yet',
    async (word) => {
      await expect(cert(word)).rejects.toThrow(new UsageError(NO_CERTIFICATES))
      expect(existsSync(certificatesFolder(here.state))).toBe(false)
    },
  )

  it('names a broken authority and its remedy', async () => {
    await service()
    rmSync(join(certificatesFolder(here.state), 'authority.key'))
    await expect(cert('show')).rejects.toThrow(/authority\.key is missing\. Restore/)
    await expect(cert('show')).rejects.toThrow(UsageError)
  })
})

describe('a restore that was interrupted', () => {
  it.each([['renew'], ['import', '--undo']])('keeps certificates from being changed: cert %s', async (...words) => {
    await service()
    mkdirSync(join(here.state, 'restore.next'))
    writeFileSync(join(here.state, 'restore.next', 'plan.json'), '{"files":[],"removed":[]}')
    const message = `a restore into ${here.state} was interrupted: start the service, which completes it, or restore again`
    await expect(cert(...words)).rejects.toThrow(new UsageError(message))
  })
})

describe('slotwire cert show', () => {
  it('tells people what to trust and what is presented', async () => {
    const { fingerprint } = await service()
    expect(await cert('show')).toMatch(
      new RegExp(
        [
          'Authority: what clients are to trust',
          '  subject  CN=line-3 1f2e3d4c device CA, O=Slotwire',
          '  valid    from 2025-01-01 until 2056-11-13 \\(10950 days left\\)',
          `  SHA-256  ${fingerprint}`,
          '',
          'Server certificate, made by this device, renewed by itself',
          '  subject  CN=line-3-2',
          '  valid    from 2026-11-20 until 2027-02-18 \\(89 days left\\)',
          '  SHA-256  ([0-9A-F]{2}:){31}[0-9A-F]{2}',
          '  names    line-3-2, line-3, localhost, press.example.com, old.example.com, 192.168.1.7\n$',
        ].join('\n'),
      ),
    )
  })

  it('tells programs the same with --json', async () => {
    const { fingerprint } = await service()
    expect(await json('show')).toMatchObject({
      source: 'own',
      fault: null,
      authority: {
        fingerprint,
        subject: 'CN=line-3 1f2e3d4c device CA, O=Slotwire',
        validUntil: '2056-11-13T12:00:00.000Z',
        daysLeft: 10950,
      },
      server: { names: NAMES, validFrom: '2026-11-20T12:00:00.000Z', validUntil: '2027-02-18T12:00:00.000Z', daysLeft: 89 },
    })
  })

  it('says what is wrong with a server certificate that cannot be used', async () => {
    await service()
    writeFileSync(join(certificatesFolder(here.state), 'server.pem'), 'broken')
    expect(await cert('show')).toContain('server.pem holds no certificate in PEM')
    expect(await json('show')).toMatchObject({ server: null, fault: expect.stringContaining('holds no certificate') as string })
  })
})

describe('slotwire cert names', () => {
  it('lists them, and those of the device that are missing', async () => {
    await service()
    const notCovered = ['line-3.local', 'new.example.com']
    expect(await json('names')).toEqual({ ...NAMES, notCovered })
    const lines = [...NAMES.hosts, ...NAMES.addresses, `Not valid for ${notCovered.join(', ')}.`]
    expect(await cert('names')).toBe(`${lines.join('\n')}\n`)
  })
})

describe('slotwire cert renew', () => {
  it('makes a new one for the same names, writes that down and tells the service', async () => {
    const { current } = await service()
    expect(await cert('renew')).toBe(
      'The server certificate was renewed. It is valid until 2027-02-18 (89 days).\n' +
        'The running service was told; its log says what came of it.\n',
    )
    expect(here.toldOf).toEqual([here.state])
    const { server } = (await json('show')) as { server: { names: object; fingerprint: string } }
    expect(server.names).toEqual(NAMES)
    expect(readFileSync(join(certificatesFolder(here.state), 'server.pem'), 'utf8')).not.toContain(current?.chain)
    expect(audited()).toMatchObject([
      {
        who: 'local',
        action: 'certificate.renew',
        what: { user: 'ada', subject: 'CN=line-3-2', fingerprint: server.fingerprint },
        result: 'success',
      },
    ])
  })

  it.each<[Told, string]>([
    ['not-running', 'No service uses this state folder now: the next one starts with this.\n'],
    [
      'not-allowed',
      'The service does not run as the user of this folder, or not as you, and could not be told: send it SIGHUP, or restart it.\n',
    ],
  ])('says when the service is %s', async (answer, text) => {
    await service()
    here.told = answer
    expect(await cert('renew')).toContain(text)
    expect(await json('renew')).toMatchObject({ service: answer, renewed: { names: NAMES } })
  })
})
