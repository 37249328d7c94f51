import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { connectionOf } from '../door/door.ts'
import { clientFinder } from './callers.ts'

function client(
  connection: string | undefined,
  forwarded: string | undefined,
  proxies: readonly string[] = ['127.0.0.1', '10.0.0.2', '::1'],
) {
  const socket = new Socket()
  Object.defineProperty(socket, 'remoteAddress', { value: connection })
  const request = new IncomingMessage(socket)
  if (forwarded !== undefined) request.headers['x-forwarded-for'] = forwarded
  return clientFinder(() => proxies)(request, connectionOf(request.socket))
}

describe('clientFinder', () => {
  it('returns the address of the connection', () => {
    expect(client('192.0.2.7', undefined)).toEqual({ address: '192.0.2.7', viaProxy: false })
    expect(client('::ffff:192.0.2.7', undefined)).toEqual({ address: '192.0.2.7', viaProxy: false })
    expect(client(undefined, undefined)).toEqual({ address: 'unknown', viaProxy: false })
  })

  it('ignores forwarding headers from a client that is not a proxy', () => {
    expect(client('192.0.2.7', '127.0.0.1')).toEqual({ address: '192.0.2.7', viaProxy: false })
    expect(client('127.0.0.1', '192.0.2.7', [])).toEqual({ address: '127.0.0.1', viaProxy: false })
  })

  it.each([
    ['192.0.2.7', '192.0.2.7'],
    ['2001:DB8::7', '2001:db8::7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['127.0.0.1, 192.0.2.7', '192.0.2.7'],
    ['198.51.100.1, 192.0.2.7, 10.0.0.2', '192.0.2.7'],
    ['192.0.2.7,10.0.0.2,0:0:0:0:0:0:0:1', '192.0.2.7'],
    ['nonsense, 192.0.2.7', '192.0.2.7'],
  ])('takes from %j the last address that is not a proxy: %s', (forwarded, address) => {
    expect(client('127.0.0.1', forwarded)).toEqual({ address, viaProxy: true })
    expect(client('::ffff:127.0.0.1', forwarded)).toEqual({ address, viaProxy: true })
  })

  it.each([
    '',
    ' ',
    ',',
    'unknown',
    '192.0.2.7:4711',
    '[2001:db8::7]',
    'fe80::7%eth0',
    '192.0.2.7, nonsense',
    '192.0.2.7,',
    '10.0.0.2',
    '_hidden',
  ])('returns the proxy’s own address for %j, and reports the proxy', (forwarded) =>
    expect(client('127.0.0.1', forwarded)).toEqual({ address: '127.0.0.1', viaProxy: true }),
  )

  it('applies changed settings', () => {
    const socket = new Socket()
    Object.defineProperty(socket, 'remoteAddress', { value: '10.0.0.2' })
    const request = new IncomingMessage(socket)
    request.headers['x-forwarded-for'] = '192.0.2.7'
    let proxies: readonly string[] = []
    const find = clientFinder(() => proxies)
    expect(find(request, connectionOf(request.socket)).address).toBe('10.0.0.2')
    proxies = ['10.0.0.2']
    expect(find(request, connectionOf(request.socket)).address).toBe('192.0.2.7')
    proxies = ['10.0.0.3']
    expect(find(request, connectionOf(request.socket)).address).toBe('10.0.0.2')
  })

  it("ignores addresses that the client put before the proxy's entry", () =>
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.ipV4(), fc.ipV6(), fc.string())), (forged) => {
        expect(client('127.0.0.1', [...forged, '192.0.2.7'].join(', ')).address).toBe('192.0.2.7')
      }),
    ))
})
