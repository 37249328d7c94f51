import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { hostname, networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { certificatesFolder } from '@slotwire/network'
import { beforeEach, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../../../tests/temporary-folder.testkit.ts'
import type { NotifyResult } from '../run/running-service.ts'
import { UsageError } from '../terminal/usage-error.ts'
import { NAMES, useCertCommand } from './cert-command.testkit.ts'
import { ownNames } from './cert-show.ts'

const NO_CERTIFICATES = 'there are no certificates yet: the service makes them when it first opens its network door'
const { here, cert, json, service, audited } = useCertCommand()

describe('slotwire cert', () => {
  it.each(['show', 'names', 'authority', 'renew'])(
    '%s reports before the first start of a network door that there are no certificates',
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

it.each([['renew'], ['import', '--undo']])(
  'slotwire cert after an interrupted restore refuses to change certificates: cert %s',
  async (...words) => {
    await service()
    writeFileSync(join(here.state, 'restore.json'), '{}')
    const message = `a restore into ${here.state} was interrupted: start the service, which completes it, or restore again`
    await expect(cert(...words)).rejects.toThrow(new UsageError(message))
  },
)

describe('slotwire cert show', () => {
  it('prints the authority to trust and the presented certificate', async () => {
    const { fingerprint } = await service()
    expect(await cert('show')).toMatch(
      new RegExp(
        [
          'Authority that clients must trust',
          '  subject  CN=line-3 1f2e3d4c device CA, O=Slotwire',
          '  valid    from 2025-01-01 until 2056-11-13 \\(10950 days left\\)',
          `  SHA-256  ${fingerprint}`,
          '',
          'Server certificate, made by this device, renewed automatically',
          '  subject  CN=line-3-2',
          '  valid    from 2026-11-20 until 2027-02-18 \\(89 days left\\)',
          '  SHA-256  ([0-9A-F]{2}:){31}[0-9A-F]{2}',
          '  names    line-3-2, line-3, localhost, press.example.com, old.example.com, 192.168.1.7\n$',
        ].join('\n'),
      ),
    )
  })

  it('prints the same as JSON with --json', async () => {
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

  it('reports why a server certificate is unusable', async () => {
    await service()
    writeFileSync(join(certificatesFolder(here.state), 'server.pem'), 'broken')
    expect(await cert('show')).toContain('server.pem holds no certificate in PEM')
    expect(await json('show')).toMatchObject({ server: null, fault: expect.stringContaining('holds no certificate') as string })
  })
})

it('slotwire cert names lists the names, and the missing names of the device', async () => {
  await service()
  const notCovered = ['line-3.local', 'new.example.com']
  expect(await json('names')).toEqual({ ...NAMES, notCovered })
  const lines = [...NAMES.hosts, ...NAMES.addresses, `Not valid for ${notCovered.join(', ')}.`]
  expect(await cert('names')).toBe(`${lines.join('\n')}\n`)
})

describe('slotwire cert renew', () => {
  it('makes a certificate with the same names, writes the audit log and notifies the service', async () => {
    const { current } = await service()
    expect(await cert('renew')).toBe(
      'Renewed the server certificate. It is valid until 2027-02-18 (89 days).\n' +
        'Notified the running service; its log has the result.\n',
    )
    expect(here.notified).toEqual([here.state])
    const { server } = (await json('show')) as { server: { names: object; fingerprint: string } }
    expect(server.names).toEqual(NAMES)
    expect(readFileSync(join(certificatesFolder(here.state), 'server.pem'), 'utf8')).not.toContain(current?.cert)
    expect(audited()).toMatchObject([
      {
        who: 'local',
        action: 'certificate.renew',
        what: { user: 'ada', subject: 'CN=line-3-2', fingerprint: server.fingerprint },
        result: 'success',
      },
    ])
  })

  it.each<[NotifyResult, string]>([
    ['not-running', 'No service uses this state folder now: the service applies the change at its next start.\n'],
    [
      'not-allowed',
      'Could not notify the service: it does not run as you, or not as the owner of this folder. Send it SIGHUP, or restart it.\n',
    ],
  ])('reports that the service is %s', async (answer, text) => {
    await service()
    here.result = answer
    expect(await cert('renew')).toContain(text)
    expect(await json('renew')).toMatchObject({ service: answer, renewed: { names: NAMES } })
  })
})

let state: string
beforeEach(() => (state = temporaryFolder()))

describe('deviceNames', () => {
  it('returns the system’s names without settings, and with a broken settings file', () => {
    const own = { hostName: hostname(), listen: [], names: [], interfaces: networkInterfaces() }
    expect(ownNames(state)).toEqual(own)
    writeFileSync(join(state, 'settings.yaml'), 'names: [press.example.com\n')
    expect(ownNames(state)).toEqual(own)
  })

  it('uses the settings, and all addresses if there is a proxy', () => {
    writeFileSync(join(state, 'settings.yaml'), 'names: [press.example.com]\ndoors: {listen: [192.168.1.7]}\nhost-name: line-3\n')
    expect(ownNames(state)).toMatchObject({
      hostName: 'line-3',
      listen: ['192.168.1.7'],
      names: ['press.example.com'],
    })
    writeFileSync(join(state, 'settings.yaml'), 'proxies: [127.0.0.1]\n')
    expect(ownNames(state)).toMatchObject({ listen: ['::'] })
  })
})
