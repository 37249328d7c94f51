import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fromIsoTime, ManualClock, silentLog, systemWallTime } from '@slotwire/core'
import { type AuditEntry, Certificates, certificatesFolder } from '@slotwire/gateway'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { describeWith } from '../../../../tools/setup/describe-with.mjs'
import type { Told } from '../run/running-service.ts'
import { UsageError } from '../terminal/usage-error.ts'
import { certCommand } from './cert-command.ts'

const NOW = fromIsoTime('2026-11-21T12:00:00.000Z')
const v4 = (address: string) => ({ address, family: 'IPv4', netmask: '', mac: '', internal: false, cidr: null }) as const
const DEVICE = {
  hostName: 'line-3',
  listen: [],
  names: ['press.example.com', 'new.example.com'],
  interfaces: { eth0: [v4('192.168.1.7')] },
}
const NAMES = { hosts: ['line-3-2', 'line-3', 'localhost', 'press.example.com', 'old.example.com'], addresses: ['192.168.1.7'] }
const NO_CERTIFICATES = 'there are no certificates yet: the service makes them when it first opens its network door'

let state: string
let printed: string
let hinted: string
let told: Told
let toldOf: string[]
let date: number
beforeEach(() => {
  date = NOW
  state = mkdtempSync(join(tmpdir(), 'slotwire cert '))
  told = 'told'
  toldOf = []
})
afterEach(() => rmSync(state, { recursive: true, force: true }))

/** Runs `slotwire cert …` in this process; what it prints. */
async function cert(...words: string[]): Promise<string> {
  printed = ''
  hinted = ''
  const command = certCommand({
    print: (text: string) => (printed += text),
    hint: (text: string) => (hinted += text),
    environment: { SUDO_USER: 'ada' },
    platform: 'linux',
    home: () => join(state, 'no home'),
    clock: new ManualClock(),
    wallTime: () => date,
    deviceNames: () => DEVICE,
    tell: (folder) => {
      toldOf.push(folder)
      return told
    },
  })
  for (const each of [command, ...command.commands]) each.exitOverride().configureOutput({ writeErr: () => undefined })
  await command.parseAsync([...words, '--state', state], { from: 'user' })
  return printed
}

async function json(...words: string[]): Promise<unknown> {
  const text = await cert(...words, '--json')
  expect(text).toMatch(/^\{.*\}\n$/)
  return JSON.parse(text)
}

/** As a service does it at its first start. */
async function service(): Promise<Certificates> {
  const options = {
    folder: certificatesFolder(state),
    clock: new ManualClock(),
    wallTime: () => NOW,
    log: silentLog,
    deviceName: 'line-3 1f2e3d4c',
  }
  const certificates = await Certificates.open(options)
  await certificates.use(NAMES)
  await certificates.close()
  return certificates
}

const audited = (): AuditEntry[] =>
  readFileSync(join(state, 'audit', 'changes.jsonl'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as AuditEntry)

describe('slotwire cert', () => {
  it.each(['show', 'names', 'authority', 'renew'])(
    '%s says before the first start of a network door that there is nothing yet',
    async (word) => {
      await expect(cert(word)).rejects.toThrow(new UsageError(NO_CERTIFICATES))
      expect(existsSync(certificatesFolder(state))).toBe(false)
    },
  )

  it('names a broken authority and its remedy', async () => {
    await service()
    rmSync(join(certificatesFolder(state), 'authority.key'))
    await expect(cert('show')).rejects.toThrow(/authority\.key is missing\. Restore/)
    await expect(cert('show')).rejects.toThrow(UsageError)
  })
})

describe('a restore that was interrupted', () => {
  it.each([['renew'], ['import', '--undo']])('keeps certificates from being changed: cert %s', async (...words) => {
    await service()
    mkdirSync(join(state, 'restore.next'))
    writeFileSync(join(state, 'restore.next', 'plan.json'), '{"files":[],"removed":[]}')
    const message = `a restore into ${state} was interrupted: start the service, which completes it, or restore again`
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
    writeFileSync(join(certificatesFolder(state), 'server.pem'), 'broken')
    expect(await cert('show')).toContain('server.pem holds no certificate in PEM')
    expect(await json('show')).toMatchObject({ server: null, fault: expect.stringContaining('holds no certificate') as string })
  })
})

describe('slotwire cert names', () => {
  it('lists them with where they come from, and those of the device that are missing', async () => {
    await service()
    expect(await json('names')).toEqual({
      names: [
        { name: 'line-3-2', kind: 'host', source: 'announced host name' },
        { name: 'line-3', kind: 'host', source: 'host name' },
        { name: 'localhost', kind: 'host', source: 'always' },
        { name: 'press.example.com', kind: 'host', source: 'settings' },
        { name: 'old.example.com', kind: 'host', source: null },
        { name: '192.168.1.7', kind: 'address', source: 'interface eth0' },
      ],
      notCovered: ['line-3.local', 'new.example.com'],
    })
    const text = await cert('names')
    expect(text).toMatch(/│ 192\.168\.1\.7 +│ interface eth0 +│/)
    expect(text).toMatch(/│ old\.example\.com +│ unknown +│/)
    expect(text).toContain('Not valid for line-3.local, new.example.com.\n')
  })
})

describe('slotwire cert renew', () => {
  it('makes a new one for the same names, writes that down and tells the service', async () => {
    const { current } = await service()
    expect(await cert('renew')).toBe(
      'The server certificate was renewed. It is valid until 2027-02-18 (89 days).\n' +
        'The running service was told: it presents this to all who connect from now on.\n',
    )
    expect(toldOf).toEqual([state])
    const { server } = (await json('show')) as { server: { names: object; fingerprint: string } }
    expect(server.names).toEqual(NAMES)
    expect(readFileSync(join(certificatesFolder(state), 'server.pem'), 'utf8')).not.toContain(current?.chain)
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
    ['not-running', 'No service uses this state folder now: the next one presents this.\n'],
    ['not-allowed', 'The service does not run as the user of this folder, or not as you, and could not be told: restart it.\n'],
  ])('says when the service is %s', async (answer, text) => {
    await service()
    told = answer
    expect(await cert('renew')).toContain(text)
    expect(await json('renew')).toMatchObject({ service: answer, renewed: { names: NAMES } })
  })
})

describeWith('openssl', 'slotwire cert', (openssl) => {
  const run = (...args: string[]): string =>
    execFileSync(openssl, args, { cwd: state, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })

  /** A self-signed certificate of a company, valid from the real date on. */
  function company(): string[] {
    date = systemWallTime()
    run(
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:P-256',
      '-noenc',
      '-keyout',
      'c.key',
      '-out',
      'c.pem',
      '-subj',
      '/CN=Company',
      '-addext',
      'subjectAltName=DNS:line-3',
      '-days',
      '365',
    )
    return ['--certificate', join(state, 'c.pem'), '--key', join(state, 'c.key')]
  }

  it('authority prints what openssl verifies the server certificate with', async () => {
    await service()
    writeFileSync(join(state, 'ca.pem'), await cert('authority'))
    expect(
      run('verify', '-CAfile', 'ca.pem', '-verify_hostname', 'line-3', '-attime', `${NOW / 1000}`, join('tls', 'server.pem')),
    ).toBe('tls/server.pem: OK\n')
  })

  it('import takes over a company’s own, says what clients are to trust, and --undo goes back', async () => {
    const { fingerprint } = await service()
    const files = company()
    const text = await cert('import', ...files)
    const printedByOpenssl = run('x509', '-in', 'c.pem', '-noout', '-fingerprint', '-sha256').trim().split('=')[1] ?? ''
    expect(text).toContain(`Clients are to trust the authority with the SHA-256 fingerprint ${printedByOpenssl}\n`)
    expect(hinted).toContain(
      'the certificate is not valid for line-3-2, localhost, press.example.com, old.example.com, 192.168.1.7',
    )
    expect(await json('show')).toMatchObject({ source: 'imported', authority: { fingerprint: printedByOpenssl } })
    await expect(cert('renew')).rejects.toThrow('the certificate was imported')
    expect(await cert('import', '--undo')).toContain(`SHA-256 fingerprint ${fingerprint}\n`)
    expect(await json('show')).toMatchObject({ source: 'own', authority: { fingerprint } })
    expect(await json('import', '--undo')).toEqual({ undone: false })
    expect(audited().map(({ action }) => action)).toEqual(['certificate.import', 'certificate.import.undo'])
    expect(toldOf).toHaveLength(2)
  })

  it('import before the first start is what that will present', async () => {
    expect(await json('import', ...company())).toMatchObject({
      imported: { subject: 'CN=Company' },
      warnings: [],
      service: 'told',
    })
    expect(await cert('import', '--undo')).toContain('The service makes an authority when it opens its network door.')
  })

  it('import that is refused changes nothing, tells nobody and writes nothing down', async () => {
    await service()
    const [, certificate = '', , key = ''] = company()
    writeFileSync(key, run('genpkey', '-algorithm', 'ED25519'))
    await expect(cert('import', '--certificate', certificate, '--key', key)).rejects.toThrow(
      'key and certificate do not belong together',
    )
    await expect(cert('import', '--certificate', certificate)).rejects.toThrow(
      'an import needs both: --certificate FILE and --key FILE',
    )
    await expect(cert('import', '--undo', '--key', key)).rejects.toThrow('leave the files out')
    await expect(cert('import', '--certificate', join(state, 'none'), '--key', key)).rejects.toThrow(
      /--certificate .*none cannot be read \(ENOENT/,
    )
    await expect(cert('import', '--certificate', '/dev/zero', '--key', key)).rejects.toThrow(
      '--certificate /dev/zero is too long: at most 65536 bytes',
    )
    expect(await json('show')).toMatchObject({ source: 'own' })
    expect(toldOf).toEqual([])
    expect(existsSync(join(state, 'audit'))).toBe(false)
  })
})
