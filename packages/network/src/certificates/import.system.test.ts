import { X509Certificate } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { describeWith } from '../../../../tools/setup/describe-with.mjs'
import { DAY, device, fingerprintOf } from './certificates.testkit.ts'
import { type CompanyOptions, companyWith } from './company.testkit.ts'
import { CertificateStore } from './stored-certificates.ts'

const names = { hosts: ['press.example.com', 'line-3.local'], addresses: ['192.168.1.7'] }

describeWith('openssl', 'a company’s own certificate', (openssl) => {
  const companies = new Map<string, ReturnType<typeof companyWith>>()
  /** Created once for all tests; no test changes it. */
  function company(options: CompanyOptions = {}) {
    const key = JSON.stringify(options)
    const known = companies.get(key) ?? companyWith(openssl, mkdtempSync(join(tmpdir(), 'slotwire company ')), options)
    companies.set(key, known)
    return known
  }
  afterAll(() => {
    for (const { folder } of companies.values()) rmSync(folder, { recursive: true, force: true })
  })

  async function usedDevice() {
    const here = await device()
    const own = await here.certificates.use(names)
    return { ...here, own, ownFingerprint: fingerprintOf(here.certificates) }
  }

  it('is presented with its chain, and clients trust the given authority', async () => {
    const { chain, key, root, run } = company()
    const { changes, certificates, file, of } = await usedDevice()
    const told: string[] = []
    certificates.onRenewed(({ cert: presented }) => told.push(presented))
    const warnings = await changes.import({ certificate: chain, key, authority: root })
    expect(warnings).toEqual([
      'the certificate is not valid for line-3.local, 192.168.1.7: clients that use these names refuse it',
    ])
    expect(told).toEqual([chain])
    expect(certificates.current?.cert).toBe(chain)
    expect(certificates.authorityPem).toBe(root)
    expect(`sha256 Fingerprint=${fingerprintOf(certificates)}\n`).toBe(
      run('x509', '-in', 'root.pem', '-noout', '-fingerprint', '-sha256'),
    )
    expect(statSync(file('imported.pem')).mode & 0o777).toBe(0o600)
    await certificates.reload()
    await certificates.reload()
    expect(of('warn')).toEqual(['the imported certificate is not valid for all names of this device'])
  })

  it('is presented again when only an intermediate certificate changed', async () => {
    const { chain, key, root, read } = company()
    const { changes, certificates } = await usedDevice()
    await changes.import({ certificate: read('press.pem'), key })
    const told: string[] = []
    certificates.onRenewed(({ cert: presented }) => told.push(presented))
    await changes.import({ certificate: chain, key, authority: root })
    expect(told).toEqual([chain])
  })

  it('makes the last of the chain the authority by default, and warns if that is not a root', async () => {
    const { chain, key, read } = company()
    const { changes, certificates } = await usedDevice()
    const warnings = await changes.import({ certificate: chain, key })
    expect(certificates.authorityPem).toBe(read('middle.pem'))
    expect(warnings[0]).toContain('the chain ends with "CN=middle", which another authority signed')
    await changes.import({ certificate: chain + read('root.pem'), key })
    expect(certificates.authorityPem).toBe(read('root.pem'))
    expect(certificates.current?.cert).toBe(chain)
  })

  it('survives a restart, is never renewed, and causes warnings from 30 days before its end', async () => {
    const { chain, key, root } = company()
    const first = await usedDevice()
    await first.changes.import({ certificate: chain, key, authority: root })
    const { changes, certificates, passTime, date, lines, clock } = await device({ folder: first.folder })
    await certificates.use({ hosts: ['press.example.com'], addresses: [] })
    expect(certificates.current?.cert).toBe(chain)
    await expect(changes.renew()).rejects.toThrow('the certificate was imported: its issuer renews it')
    await passTime(Date.UTC(2027, 9, 2, 1) - date.now)
    const warned = () => lines.map(({ level, message }) => `${level}: ${message}`)
    const soon = 'ends soon: prepare a replacement (slotwire cert show)'
    await expect.poll(warned).toEqual([`warn: the authority ${soon}`, `warn: the imported server certificate ${soon}`])
    date.now += 60 * DAY
    await clock.advance(DAY)
    await expect
      .poll(warned)
      .toContain(
        'error: the imported server certificate has ended, and clients refuse it: replace it, or correct the date of this device',
      )
    expect(certificates.current?.cert).toBe(chain)
    expect(certificates.metrics()[0]?.samples).toEqual(
      ['authority', 'server'].map((certificate) => ({
        labels: { certificate, source: 'imported' },
        value: Date.UTC(2027, 10, 1) / 1000,
      })),
    )
  })

  it("is replaced by the device's own authority when the import is undone", async () => {
    const { chain, key, root } = company()
    const { changes, certificates, ownFingerprint, own, file, folder } = await usedDevice()
    const store = new CertificateStore(folder)
    await changes.import({ certificate: chain, key, authority: root })
    expect(store.presentedFile).toBe(file('imported.pem'))
    await changes.undoImport()
    expect(store.presentedFile).toBe(file('server.pem'))
    expect(fingerprintOf(certificates)).toBe(ownFingerprint)
    expect(certificates.current).toEqual(own)
    expect(existsSync(file('imported.pem'))).toBe(false)
  })

  it.each([
    ['PKCS#8', ['pkey']],
    ['SEC1', ['ec']],
  ])('accepts a key in %s', async (_, command) => {
    const { chain, root, run } = company()
    const { changes, certificates } = await usedDevice()
    await changes.import({ certificate: chain, key: run(...command, '-in', 'press.key'), authority: root })
    expect(certificates.current?.cert).toBe(chain)
  })

  it('accepts a key in PKCS#1 after parameters and comments, or in one file with the certificates', async () => {
    const { chain, root, run, read } = company({ newKey: ['-algorithm', 'RSA', '-pkeyopt', 'rsa_keygen_bits:2048'] })
    const { changes, certificates } = await usedDevice()
    const key = run('rsa', '-in', 'press.key', '-traditional')
    expect(key).toContain('BEGIN RSA PRIVATE KEY')
    await changes.import({
      certificate: chain,
      key: `Bag Attributes\n${run('ecparam', '-name', 'prime256v1')}${key}`,
      authority: root,
    })
    const all = read('press.key', 'press.pem', 'middle.pem', 'root.pem')
    await changes.import({ certificate: all, key: all })
    expect(certificates.authorityPem).toBe(root)
  })

  describe('an unusable import', () => {
    type Change = (from: ReturnType<typeof company>) => { certificate?: string; key?: string; authority?: string }
    it.each<[string, string, Change, CompanyOptions?]>([
      [
        'an encrypted key',
        'decrypt it with openssl pkey -in FILE -out key.pem',
        ({ run }) => ({ key: run('pkey', '-in', 'press.key', '-aes256', '-passout', 'pass:1234') }),
      ],
      [
        'an encrypted key in the format before PKCS#8',
        'decrypt it with openssl pkey',
        ({ run }) => ({ key: run('ec', '-in', 'press.key', '-aes256', '-passout', 'pass:1234') }),
      ],
      ['a missing key', 'the key file holds no private key in PEM', ({ chain }) => ({ key: chain })],
      ['two keys', 'the key file holds 2 private keys', ({ read }) => ({ key: read('press.key', 'root.key') })],
      [
        'a key of another certificate',
        'key and certificate do not belong together',
        ({ run }) => ({ key: run('genpkey', '-algorithm', 'ED25519') }),
      ],
      [
        'a chain in the wrong order',
        'the key belongs to certificate 2 of the chain: put that one first',
        ({ read }) => ({ certificate: read('middle.pem', 'press.pem') }),
      ],
      [
        'a gap in the chain',
        '"CN=press" was not issued by "CN=root", which comes next',
        ({ read }) => ({ certificate: read('press.pem', 'root.pem') }),
      ],
      [
        'another authority',
        '"CN=middle" was not issued by "CN=root", which comes next',
        () => ({ authority: company({ digest: 'sha512' }).root }),
      ],
      [
        'two authorities',
        'the authority file holds 2 certificates',
        ({ read }) => ({ authority: read('root.pem', 'middle.pem') }),
      ],
      [
        'DER',
        'convert it, with openssl x509 -in FILE -out certificate.pem',
        ({ folder, run }) => {
          run('x509', '-in', 'press.pem', '-outform', 'der', '-out', 'press.der')
          return { certificate: readFileSync(`${folder}/press.der`, 'utf8') }
        },
      ],
      [
        'a damaged certificate',
        'certificate 1 of the certificate file cannot be read',
        ({ chain }) => ({ certificate: chain.replace(/^M/m, 'N') }),
      ],
      [
        'a file that is too long',
        'the certificate file is too long: at most 65536 bytes',
        ({ chain }) => ({ certificate: chain.repeat(100) }),
      ],
      ['too many certificates', 'holds 12 certificates: at most 10', ({ chain }) => ({ certificate: chain.repeat(6) })],
      [
        'an expired certificate',
        '"CN=press" ended at 2026-11-20T00:00:00.000Z, and the date of this device is 2026-11-21T12:00:00.000Z: request a new one',
        () => ({}),
        { dates: ['20261101000000Z', '20261120000000Z'] },
      ],
      [
        'a certificate that is not valid yet',
        '"CN=press" is valid only from 2026-12-01T00:00:00.000Z',
        () => ({}),
        { dates: ['20261201000000Z', '20271120000000Z'] },
      ],
      ['a certificate for clients', 'the certificate is not for servers', () => ({}), { leaf: 'extendedKeyUsage=clientAuth' }],
      [
        'a short RSA key',
        'an RSA key of 1024 bits is too weak: at least 2048',
        () => ({}),
        { newKey: ['-algorithm', 'RSA', '-pkeyopt', 'rsa_keygen_bits:1024'] },
      ],
      ['a signature with SHA-1', 'the TLS library refuses the certificate (', () => ({}), { digest: 'sha1' }],
      [
        'a curve that TLS does not use',
        'keys on the curve secp256k1 are not used in TLS',
        () => ({}),
        { newKey: ['-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:secp256k1'] },
      ],
    ])('refuses %s and changes nothing', async (_, reason, change, options) => {
      const from = company(options)
      const { changes, certificates, own, file } = await usedDevice()
      const given = { certificate: from.chain, key: from.key, authority: from.root, ...change(from) }
      await expect(changes.import(given)).rejects.toThrow(reason)
      expect(certificates.current).toEqual(own)
      expect(existsSync(file('imported.pem'))).toBe(false)
    })
  })

  it('causes an error with a remedy if its file is broken, and is never replaced silently', async () => {
    const { chain, key, root } = company()
    const { changes, certificates, folder, file } = await usedDevice()
    await changes.import({ certificate: chain, key, authority: root })
    writeFileSync(file('imported.pem'), key)
    await expect(device({ folder })).rejects.toThrow(
      /imported\.pem holds no certificate.*go back with slotwire cert import --undo/,
    )
    await certificates.reload()
    expect(certificates.current?.cert).toBe(chain)
    await changes.undoImport()
    expect(new X509Certificate(certificates.current?.cert ?? '').subject).toBe('CN=press.example.com')
  })
})
