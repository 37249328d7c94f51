import type { RequestListener } from 'node:http'
import { ManualClock, SystemClock } from '@slotwire/core'
import { describe, expect, it } from 'vitest'
import { examineDoor, type ProbeOptions } from './examine-door.ts'
import { entryAt, guarded, ROOT, serverFor, type TestServer, text } from './server.testkit.ts'

const TOKEN = 'secret-token'
const MACHINE = { '/machine-id': text('machine-7\n') }
const probe: ProbeOptions = {
  token: undefined,
  authorities: undefined,
  insecure: false,
  clock: new SystemClock(),
  signal: new AbortController().signal,
}

async function examine({ door }: TestServer, changes: Partial<ProbeOptions> = {}) {
  const { machineId, caFingerprint, results } = await examineDoor(door, [entryAt(door)], { ...probe, ...changes })
  return { machineId, caFingerprint, ...results[0] }
}

const authorizations = ({ requests }: TestServer) =>
  requests.map(({ headers }) => headers.authorization).filter((value) => value !== undefined)

describe('examineDoor without TLS', () => {
  it('reports machine id and versions of a service that needs no token', async () => {
    const server = await serverFor('http', { ...MACHINE, '/api/io/': text(ROOT) })
    expect(await examine(server)).toEqual({
      machineId: 'machine-7',
      caFingerprint: undefined,
      state: 'works',
      versions: { api: '1.0.0', service: '1.2.3' },
    })
    expect(server.requests.map(({ headers }) => headers.host)).toEqual(Array(2).fill(`press-4.local:${server.door.port}`))
  })

  it('does not send the token unencrypted unless insecure is set', async () => {
    const server = await serverFor('http', { ...MACHINE, '/api/io/': guarded(TOKEN) })
    expect(await examine(server)).toMatchObject({ state: 'needs-token' })
    expect(await examine(server, { token: TOKEN })).toMatchObject({ state: 'needs-token', reason: 'it is not sent unencrypted' })
    expect(authorizations(server)).toEqual([])
    expect(await examine(server, { token: TOKEN, insecure: true })).toMatchObject({ state: 'works' })
    expect(await examine(server, { token: 'wrong', insecure: true })).toMatchObject({ state: 'token-refused' })
  })
})

describe('examineDoor with TLS', () => {
  const own = async () => {
    const answers: Record<string, RequestListener> = { ...MACHINE, '/api/io/': guarded(TOKEN) }
    const server = await serverFor('https', answers)
    answers['/ca.pem'] = text(server.authorityPem)
    return server
  }

  it('sends no token to an untrusted door, and reports the fingerprint of its authority', async () => {
    const server = await own()
    expect(await examine(server, { token: TOKEN })).toEqual({
      machineId: 'machine-7',
      caFingerprint: server.fingerprint,
      state: 'untrusted',
      reason: 'of an unknown authority',
    })
    expect(authorizations(server)).toEqual([])
    expect(server.requests.map(({ url }) => url)).toEqual(['/machine-id', '/ca.pem'])
  })

  it('reports a working service with the authority and the token', async () => {
    const server = await own()
    const authorities = server.authorityPem
    expect(await examine(server, { authorities })).toMatchObject({ machineId: 'machine-7', state: 'needs-token' })
    expect(await examine(server, { authorities, token: TOKEN })).toMatchObject({ state: 'works', versions: { api: '1.0.0' } })
    expect(await examine(server, { authorities, token: 'wrong' })).toMatchObject({ state: 'token-refused' })
    expect(await examine(server, { token: TOKEN, insecure: true })).toMatchObject({ state: 'works' })
  })

  it('trusts neither a certificate for another name nor one of another authority', async () => {
    const server = await own()
    const other = await serverFor('https', {})
    const renamed = { ...server, door: { ...server.door, host: 'line-3.local' } }
    expect(await examine(renamed, { authorities: server.authorityPem, token: TOKEN })).toMatchObject({
      state: 'untrusted',
      reason: 'for other names',
    })
    expect(await examine(server, { authorities: other.authorityPem, token: TOKEN })).toMatchObject({ state: 'untrusted' })
    expect(authorizations(server)).toEqual([])
  })

  it('sends no token if the certificate changes between two requests', async () => {
    const stranger = await serverFor('https', {})
    const server: TestServer = await serverFor('https', {
      '/machine-id': (_request, response) => {
        server.present(stranger.certificate)
        response.end('machine-7')
      },
      '/api/io/': guarded(TOKEN),
    })
    expect(await examine(server, { authorities: server.authorityPem, token: TOKEN })).toMatchObject({ state: 'failed' })
    expect(authorizations(server)).toEqual([])
  })

  it.each<[string, RequestListener]>([
    ['missing', text('', 404)],
    ['not a certificate', text('-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----')],
    ['too large', text(Buffer.alloc(300 * 1024))],
  ])('reports no fingerprint if the authority is %s', async (_what, answer) => {
    const server = await serverFor('https', { ...MACHINE, '/ca.pem': answer })
    expect(await examine(server)).toMatchObject({ state: 'untrusted', caFingerprint: undefined })
  })
})

describe('examineDoor with another server behind the door', () => {
  it.each<[string, RequestListener, object]>([
    ['another status', text('', 503), { state: 'failed', reason: 'status 503' }],
    [
      'a redirect',
      (_request, response) => response.writeHead(302, { location: 'http://elsewhere/' }).end(),
      { state: 'failed', reason: 'status 302' },
    ],
    ['a body that is not JSON', text('<html>'), { state: 'failed', reason: 'the answer names no API version' }],
    [
      'JSON without versions',
      text('{"version": {"api": {"major": "1"}}}'),
      { state: 'failed', reason: 'the answer names no API version' },
    ],
    ['null', text('null'), { state: 'failed', reason: 'the answer names no API version' }],
    ['a body that is too large', text(Buffer.alloc(300 * 1024)), { state: 'failed', reason: 'the answer is over 256 KiB' }],
    [
      'an aborted response',
      (request) => request.socket.end('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nx'),
      { state: 'failed', reason: 'aborted' },
    ],
    [
      'an unknown upgrade',
      (request) => request.socket.end('HTTP/1.1 101 X\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n'),
      { state: 'failed', reason: 'the answer is of another protocol' },
    ],
  ])('reports a failure for %s', async (_what, answer, expected) => {
    const server = await serverFor('http', { ...MACHINE, '/api/io/': answer })
    expect(await examine(server)).toMatchObject(expected)
  })

  it.each(['', '\u001b[2J', 'two words', 'x'.repeat(129)])('ignores the machine id %j', async (body) => {
    const server = await serverFor('http', { '/machine-id': text(body), '/api/io/': text(ROOT) })
    expect(await examine(server)).toMatchObject({ machineId: undefined, state: 'works' })
  })

  it('reports a failure for a path that is not the root of a service on this host, and does not request it', async () => {
    const server = await serverFor('http', MACHINE)
    const { results } = await examineDoor(server.door, [{ ...entryAt(server.door), path: undefined }], probe)
    expect([results[0]?.state, server.requests.length]).toEqual(['failed', 1])
  })

  it('requests each service once, and stops after a missing token', async () => {
    const server = await serverFor('http', {
      ...MACHINE,
      '/api/io/': guarded(TOKEN),
      '/api/power/': guarded(TOKEN),
      '/api/bmc/': text('', 403),
    })
    const entries = ['/api/bmc/', '/api/io/', '/api/power/'].map((path) => entryAt(server.door, path))
    const { results } = await examineDoor(server.door, entries, probe)
    expect(results.map(({ state }) => state)).toEqual(['failed', 'needs-token', 'needs-token'])
    expect(server.requests.map(({ url }) => url)).toEqual(['/machine-id', '/api/bmc/', '/api/io/'])
  })
})

describe('examineDoor without a server', () => {
  it('reports an unreachable door, and uses the first address that answers', async () => {
    const server = await serverFor('http', { ...MACHINE, '/api/io/': text(ROOT) })
    const at = (...addresses: string[]) => examine({ ...server, door: { ...server.door, addresses } })
    expect(await at('127.0.0.9')).toMatchObject({ state: 'unreachable', machineId: undefined })
    expect(await at()).toMatchObject({ state: 'unreachable', reason: 'no address is announced' })
    expect(await at('127.0.0.9', '127.0.0.1')).toMatchObject({ state: 'works' })
  })

  it('gives up after 3 s', async () => {
    const server = await serverFor('http', { '/machine-id': () => undefined })
    const clock = new ManualClock()
    const examined = examine(server, { clock })
    await expect.poll(() => server.requests).toHaveLength(1)
    await clock.advance(3000)
    expect(await examined).toMatchObject({ state: 'unreachable', reason: 'no answer within 3 s' })
    expect(clock.pending).toBe(0)
  })

  it('gives up when the total time is over', async () => {
    const server = await serverFor('http', { '/machine-id': () => undefined })
    const late = new AbortController()
    const examined = examine(server, { signal: late.signal })
    await expect.poll(() => server.requests).toHaveLength(1)
    late.abort()
    expect(await examined).toMatchObject({ state: 'unreachable', reason: 'there was no time left for it' })
  })
})
