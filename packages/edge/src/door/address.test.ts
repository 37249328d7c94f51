import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { networkOf, plainAddress } from './address.ts'

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
