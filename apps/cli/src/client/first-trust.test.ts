import { X509Certificate } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { firstTrust } from '../discover.ts'
import { tlsServer } from './client-server.testkit.ts'
import { nodeTransport } from './node-transport.ts'

const fingerprintOf = (pem: string) => new X509Certificate(pem).fingerprint256

describe('firstTrust', () => {
  it('gives the authority of the device and its fingerprint, and the transport trusts it', async () => {
    const { url, authority } = await tlsServer()
    const fingerprint = fingerprintOf(authority)
    const shown = await firstTrust(url, { fingerprint: fingerprint.replaceAll(':', '').toLowerCase() })
    expect(shown).toMatchObject({ fingerprint })
    const { signal } = new AbortController()
    expect((await nodeTransport(url, shown.ca)('/', { method: 'GET', headers: {}, signal })).status).toBe(200)
  })

  it('refuses a file in which another authority follows the right one', async () => {
    const { authority: right } = await tlsServer()
    const { url } = await tlsServer({ caFile: (own) => right + own })
    await expect(firstTrust(url, { fingerprint: fingerprintOf(right) })).rejects.toMatchObject({
      kind: 'credentials',
      message: expect.stringContaining('has 2 certificates') as string,
    })
  })

  it('gives nothing but the certificate of the fingerprint', async () => {
    const { url, authority } = await tlsServer({ caFile: (own) => `text before\n${own}text after\n` })
    expect(await firstTrust(url)).toEqual({
      ca: new X509Certificate(authority).toString(),
      fingerprint: fingerprintOf(authority),
    })
  })

  it.each([
    ['another authority', {}, { fingerprint: 'AB:CD' }, 'credentials', 'shows another authority'],
    ['no certificate', { caFile: () => 'nothing' }, {}, 'not-found', 'is no certificate'],
    ['a path on another server', {}, { path: '//elsewhere.invalid/ca.pem' }, 'invalid', 'on another server'],
    ['an endless file', { caFile: () => 'x'.repeat(70_000) }, {}, 'unreachable', 'longer than 65536 bytes'],
  ])('refuses %s', async (_, server, options, kind, message) => {
    const { url } = await tlsServer(server)
    await expect(firstTrust(url, options)).rejects.toMatchObject({ kind, message: expect.stringContaining(message) as string })
  })

  it('refuses an address without TLS, and ends with the reason of its signal', async () => {
    await expect(firstTrust('http://127.0.0.1:1')).rejects.toMatchObject({ kind: 'invalid' })
    const { url } = await tlsServer()
    const reason = new Error('enough')
    await expect(firstTrust(url, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
  })
})
