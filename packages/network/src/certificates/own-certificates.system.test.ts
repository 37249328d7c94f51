import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { statSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { describeWith } from '../../../../tools/setup/describe-with.mjs'
import { interfaceInfo } from '../interface-info.testkit.ts'
import { device, fingerprintOf, NOVEMBER_2026, opensslIn } from './certificates.testkit.ts'
import { serverNames } from './server-names.ts'

const names = serverNames({
  hostName: 'line-3',
  announcedHostName: 'line-3-2',
  listen: ['::'],
  names: ['press.example.com', 'xn--bcher-kva.example', '203.0.113.9'],
  interfaces: {
    lo: [interfaceInfo('127.0.0.1'), interfaceInfo('::1')],
    eth0: [interfaceInfo('192.168.1.7'), interfaceInfo('2001:db8::7')],
  },
})
const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8)

describeWith('openssl', 'certificates of a device', (openssl) => {
  async function made() {
    const here = await device()
    await here.certificates.use(names)
    return { ...here, ...opensslIn(here.folder, openssl) }
  }

  it('include an authority that names the device and signs only server certificates', async () => {
    const { run } = await made()
    const text = run('x509', '-in', 'authority.pem', '-noout', '-text')
    expect(text).toContain('Subject: CN = line-3 1f2e3d4c device CA, O = Slotwire')
    expect(text).toContain('Issuer: CN = line-3 1f2e3d4c device CA, O = Slotwire')
    expect(text).toMatch(/X509v3 Basic Constraints: critical\s+CA:TRUE, pathlen:0\n/)
    expect(text).toMatch(/X509v3 Key Usage: critical\s+Certificate Sign, CRL Sign\n/)
    expect(text).toContain('NIST CURVE: P-256')
    expect(text).toContain('ecdsa-with-SHA256')
    expect(text).toContain('Not Before: Jan  1 00:00:00 2025 GMT')
    expect(text).toContain('Not After : Nov 13 12:00:00 2056 GMT')
  })

  it('have the fingerprint that openssl prints', async () => {
    const { run, certificates, write } = await made()
    const printed = run('x509', '-in', 'authority.pem', '-noout', '-fingerprint', '-sha256').trim()
    expect(`sha256 Fingerprint=${fingerprintOf(certificates)}`).toBe(printed)
    expect(run('x509', '-in', write('served.pem', certificates.authorityPem), '-noout', '-fingerprint', '-sha256').trim()).toBe(
      printed,
    )
  })

  it('are in files that only the service can read, except the public one', async () => {
    const { file } = await made()
    expect(['authority.pem', 'authority.key', 'server.pem'].map((name) => modeOf(file(name)))).toEqual(['644', '600', '600'])
  })

  it('include a server certificate with its key, 90 days and a random serial number', async () => {
    const { run } = await made()
    const text = run('x509', '-in', 'server.pem', '-noout', '-text')
    expect(text).toContain('Subject: CN = line-3-2\n')
    expect(text).toMatch(/X509v3 Basic Constraints: critical\s+CA:FALSE\n/)
    expect(text).toMatch(/X509v3 Key Usage: critical\s+Digital Signature\n/)
    expect(text).toMatch(/X509v3 Extended Key Usage: *\s+TLS Web Server Authentication\n/)
    expect(text).toContain('Not Before: Nov 20 12:00:00 2026 GMT')
    expect(text).toContain('Not After : Feb 18 12:00:00 2027 GMT')
    expect(run('x509', '-in', 'server.pem', '-noout', '-serial')).toMatch(/^serial=[0-9A-F]{20,34}\n$/)
    const ofCertificate = run('x509', '-in', 'server.pem', '-noout', '-pubkey')
    expect(run('pkey', '-in', 'server.pem', '-pubout')).toBe(ofCertificate)
  })

  it('pass openssl verify for all their names and addresses, and for no others', async () => {
    const { run, outputOf } = await made()
    const verify = [
      'verify',
      '-x509_strict',
      '-purpose',
      'sslserver',
      '-CAfile',
      'authority.pem',
      '-attime',
      `${NOVEMBER_2026 / 1000}`,
    ]
    const hosts = ['line-3', 'line-3.local', 'line-3-2', 'line-3-2.local', 'localhost', 'press.example.com']
    for (const host of [...hosts, 'xn--bcher-kva.example']) {
      expect(run(...verify, '-verify_hostname', host, 'server.pem')).toBe('server.pem: OK\n')
      expect(run('x509', '-in', 'server.pem', '-noout', '-checkhost', host)).toBe(`Hostname ${host} does match certificate\n`)
    }
    for (const address of ['127.0.0.1', '::1', '192.168.1.7', '2001:db8::7', '203.0.113.9']) {
      expect(run(...verify, '-verify_ip', address, 'server.pem')).toBe('server.pem: OK\n')
      expect(run('x509', '-in', 'server.pem', '-noout', '-checkip', address)).toBe(`IP ${address} does match certificate\n`)
    }
    expect(outputOf(...verify, '-verify_hostname', 'line-4', 'server.pem')).toContain('hostname mismatch')
    expect(outputOf(...verify, '-verify_ip', '192.168.1.8', 'server.pem')).toContain('IP address mismatch')
    expect(run('x509', '-in', 'server.pem', '-noout', '-ext', 'subjectAltName').match(/DNS:|IP Address:/g)).toHaveLength(12)
  })

  it('are valid for clients with the right date even if the device believes it is 1970', async () => {
    const { certificates, folder } = await device({ date: 0 })
    await certificates.use(names)
    const verify = ['verify', '-CAfile', 'authority.pem', '-attime', `${NOVEMBER_2026 / 1000}`, '-verify_hostname', 'line-3']
    expect(opensslIn(folder, openssl).run(...verify, 'server.pem')).toBe('server.pem: OK\n')
  })
})

describeWith('openssl', 'TLS server of a device', (openssl) => {
  it('is trusted by openssl s_client with the authority, only for its own names', async () => {
    const { certificates, folder } = await device()
    const server = createServer(await certificates.use(names), (_, response) => response.end('answer'))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => {
      server.closeAllConnections()
      server.close()
    })
    const { port } = server.address() as AddressInfo
    const connect = ['s_client', '-connect', `127.0.0.1:${port}`, '-attime', `${NOVEMBER_2026 / 1000}`, '-verify_return_error']
    const client = async (name: string, ...args: string[]): Promise<{ code: number; printed: string }> => {
      const child = spawn(openssl, [...connect, '-verify_hostname', name, ...args], {
        cwd: folder,
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      let printed = ''
      for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (printed += chunk.toString()))
      const [code] = (await once(child, 'close')) as [number]
      return { code, printed }
    }
    const trusting = ['-CAfile', 'authority.pem']
    const good = await client('line-3-2.local', ...trusting)
    expect(good).toMatchObject({ code: 0 })
    expect(good.printed).toContain('Verify return code: 0 (ok)')
    expect((await client('line-4.local', ...trusting)).code).toBe(1)
    expect((await client('line-3-2.local')).printed).toContain('unable to get local issuer')
  })
})

it('a restart keeps the authority and the server certificate', async () => {
  const first = await device()
  await first.certificates.use(names)
  const second = await device({ folder: first.folder })
  expect(fingerprintOf(second.certificates)).toBe(fingerprintOf(first.certificates))
  expect(second.certificates.current).toEqual(first.certificates.current)
  expect(await second.certificates.use(names)).toEqual(first.certificates.current)
  expect(second.lines).toEqual([])
})
