import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { expect, it } from 'vitest'
import { clientOf } from './forward-headers.ts'

function requestFrom(address: string): IncomingMessage {
  const request = new IncomingMessage(Object.defineProperty(new Socket(), 'remoteAddress', { value: address }))
  request.headers = { host: 'device.test', 'x-forwarded-proto': 'https', 'x-forwarded-host': 'evil.test' }
  return request
}

it.each([
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['fe80::1%eth0', 'fe80::1'],
])('two forms of one address are not taken for a proxy: %s', (remote, address) => {
  const caller = { door: 'network', address, readOnly: false } as const
  expect(clientOf(requestFrom(remote), caller)).toEqual({ address, scheme: 'http', clientHost: 'device.test', readOnly: false })
})

it('headers of a proxy that the door trusts are used', () => {
  const caller = { door: 'network', address: '192.0.2.7', readOnly: false } as const
  expect(clientOf(requestFrom('10.0.0.9'), caller)).toMatchObject({ scheme: 'https', clientHost: 'evil.test' })
})
