import { execFileSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { systemWallTime } from '@slotwire/core'
import { expect, it } from 'vitest'
import { describeWith } from '../../../../tools/setup/describe-with.mjs'
import { NOW, useCertCommand } from './cert-command.testkit.ts'

const { here, cert, json, service, audited } = useCertCommand()

describeWith('openssl', 'slotwire cert', (openssl) => {
  const run = (...args: string[]): string =>
    execFileSync(openssl, args, { cwd: here.state, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })

  /** Creates a self-signed certificate of a company, sets the test's date to the real one, and returns the options that import it. */
  function company(): string[] {
    here.date = systemWallTime()
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
    return ['--certificate', join(here.state, 'c.pem'), '--key', join(here.state, 'c.key')]
  }

  it('`authority` prints the certificate with which openssl verifies the server certificate', async () => {
    await service()
    writeFileSync(join(here.state, 'ca.pem'), await cert('authority'))
    expect(
      run('verify', '-CAfile', 'ca.pem', '-verify_hostname', 'line-3', '-attime', `${NOW / 1000}`, join('tls', 'server.pem')),
    ).toBe('tls/server.pem: OK\n')
  })

  it('`import` uses a company certificate and prints the authority to trust, and `--undo` restores the own certificate of the service', async () => {
    const { fingerprint } = await service()
    const files = company()
    const text = await cert('import', ...files)
    const printedByOpenssl = run('x509', '-in', 'c.pem', '-noout', '-fingerprint', '-sha256').trim().split('=')[1] ?? ''
    expect(text).toContain(`Clients must trust the authority with the SHA-256 fingerprint ${printedByOpenssl}\n`)
    expect(here.hinted).toContain(
      'the certificate is not valid for line-3-2, localhost, press.example.com, old.example.com, 192.168.1.7',
    )
    expect(await json('show')).toMatchObject({ source: 'imported', authority: { fingerprint: printedByOpenssl } })
    await expect(cert('renew')).rejects.toThrow('the certificate was imported')
    expect(await cert('import', '--undo')).toContain(`SHA-256 fingerprint ${fingerprint}\n`)
    expect(await json('show')).toMatchObject({ source: 'own', authority: { fingerprint } })
    expect(await json('import', '--undo')).toEqual({ undone: false })
    expect(audited().map(({ action }) => action)).toEqual(['certificate.import', 'certificate.import.undo'])
    expect(here.notified).toHaveLength(2)
  })

  it('an `import` before the first start takes effect at that start', async () => {
    expect(await json('import', ...company())).toMatchObject({
      imported: { subject: 'CN=Company' },
      warnings: [],
      service: 'notified',
    })
    expect(await cert('import', '--undo')).toContain('The service creates an authority when it opens its network door.')
  })

  it('a refused import changes nothing, notifies no service and writes no audit log', async () => {
    await service()
    const [, certificate = '', , key = ''] = company()
    writeFileSync(key, run('genpkey', '-algorithm', 'ED25519'))
    await expect(cert('import', '--certificate', certificate, '--key', key)).rejects.toThrow(
      'key and certificate do not belong together',
    )
    await expect(cert('import', '--certificate', certificate)).rejects.toThrow(
      'an import needs both: --certificate FILE and --key FILE',
    )
    await expect(cert('import', '--undo', '--key', key)).rejects.toThrow('takes no files')
    await expect(cert('import', '--certificate', join(here.state, 'none'), '--key', key)).rejects.toThrow(
      /--certificate .*none cannot be read \(ENOENT/,
    )
    await expect(cert('import', '--certificate', '/dev/zero', '--key', key)).rejects.toThrow(
      '--certificate /dev/zero is too long: at most 65536 bytes',
    )
    expect(await json('show')).toMatchObject({ source: 'own' })
    expect(here.notified).toEqual([])
    expect(existsSync(join(here.state, 'audit'))).toBe(false)
  })
})
