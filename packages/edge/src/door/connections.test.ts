import { Socket } from 'node:net'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { networkOf, plainAddress } from './address.ts'
import { Connections } from './connections.ts'

/** A socket with any remote address: a test cannot connect from a /64. */
function socketFrom(remoteAddress: string, remotePort: number): Socket {
  return Object.defineProperties(new Socket(), { remoteAddress: { value: remoteAddress }, remotePort: { value: remotePort } })
}

let nextPort = 1024
function connectTo(connections: Connections, address: string): Socket {
  const socket = socketFrom(address, nextPort++)
  connections.add(socket)
  return socket
}

const NEIGHBOURS = '2001:db8:1:2::'

describe('Connections', () => {
  it.each([
    ['an IPv4 address', '192.0.2.7', '192.0.2.7', '192.0.2.8'],
    ['an IPv4 address in both forms', '192.0.2.7', '::ffff:192.0.2.7', '::ffff:192.0.2.8'],
    ['all addresses of a /64 of IPv6', `${NEIGHBOURS}1`, `${NEIGHBOURS}ffff:1`, '2001:db8:1:3::1'],
  ])('counts together: %s', (_, first, same, other) => {
    const connections = new Connections(() => 1)
    expect(connectTo(connections, first).destroyed).toBe(false)
    expect(connectTo(connections, same).destroyed).toBe(true)
    expect(connectTo(connections, other).destroyed).toBe(false)
    expect([...connections]).toHaveLength(2)
  })

  it('accepts another connection after one has ended', async () => {
    const connections = new Connections(() => 1)
    const first = connectTo(connections, `${NEIGHBOURS}1`)
    const over = new Promise((resolve) => first.once('close', resolve))
    first.destroy()
    await over
    expect(connectTo(connections, `${NEIGHBOURS}2`).destroyed).toBe(false)
  })

  it('does not count those of a proxy against its /64', () => {
    const asked: string[] = []
    const connections = new Connections((address) => {
      asked.push(address)
      return address === `${NEIGHBOURS}9` ? Number.POSITIVE_INFINITY : 1
    })
    const proxied = [connectTo(connections, `${NEIGHBOURS}9`), connectTo(connections, `${NEIGHBOURS}9`)]
    expect(connectTo(connections, `${NEIGHBOURS}8`).destroyed).toBe(false)
    expect(proxied.map(({ destroyed }) => destroyed)).toEqual([false, false])
    connectTo(connections, '::ffff:192.0.2.7')
    expect(asked.at(-1)).toBe('192.0.2.7')
  })

  it('finds a connection by its remote address and port', () => {
    for (const most of [10, Number.POSITIVE_INFINITY]) {
      const connections = new Connections(() => most)
      const [one, two] = [connectTo(connections, `${NEIGHBOURS}1`), connectTo(connections, `${NEIGHBOURS}2`)]
      for (const socket of [one, two]) expect(connections.find(socket.remoteAddress, socket.remotePort)).toBe(socket)
      expect(connections.find(one.remoteAddress, two.remotePort)).toBeUndefined()
    }
  })
})

describe('plainAddress', () => {
  it.each([
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['::FFFF:c000:207', '192.0.2.7'],
    ['2001:DB8:0:0:0:0:0:1', '2001:db8::1'],
    ['fe80::1%eth0', 'fe80::1'],
    ['::', '::'],
  ])('turns %s into %s', (text, plain) => expect(plainAddress(text)).toBe(plain))

  it.each(['', 'localhost', '192.0.2', '192.0.2.256', '192.0.2.07', '192.0.2.7:80', '[::1]', '::1::', ' 192.0.2.7', 'unknown'])(
    'returns undefined for %j',
    (text) => expect(plainAddress(text)).toBeUndefined(),
  )
})

describe('networkOf', () => {
  it('returns an IPv4 address unchanged', () => expect(networkOf('192.0.2.7')).toBe('192.0.2.7'))

  it.each([
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::6', '2001:db8:1:2::/64'],
    ['2001:db8::6', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['::', '0:0:0:0::/64'],
    ['1::', '1:0:0:0::/64'],
    ['1:2:3:4:5:6:7::', '1:2:3:4::/64'],
    ['64:ff9b::192.0.2.7', '64:ff9b:0:0::/64'],
  ])('turns %s into %s', (address, network) => expect(networkOf(address)).toBe(network))

  it('returns the same text for all addresses of a /64, and another for any other /64', () => {
    const group = fc.integer({ min: 0, max: 0xffff })
    const four = fc.tuple(group, group, group, group)
    const text = (groups: readonly number[]): string => plainAddress(groups.map((value) => value.toString(16)).join(':')) ?? ''
    fc.assert(
      fc.property(four, four, four, four, (network, host, other, otherHost) => {
        const one = networkOf(text([...network, ...host]))
        const isMapped = (groups: readonly number[]): boolean => groups.every((value) => value === 0)
        fc.pre(!isMapped(network) && !isMapped(other))
        expect(networkOf(text([...network, ...otherHost]))).toBe(one)
        expect(networkOf(text([...other, ...otherHost])) === one).toBe(network.join() === other.join())
      }),
    )
  })
})
