import { describe, expect, it } from 'vitest'
import { interfaceInfo } from '../../interface-info.testkit.ts'
import { InterfaceLookup } from './open-link.ts'

const lookup = new InterfaceLookup(
  {
    lo: [interfaceInfo('127.0.0.1/8'), interfaceInfo('::1/128')],
    eth0: [interfaceInfo('10.0.0.5/24'), interfaceInfo('fe80::5/64', 2)],
    eth1: [interfaceInfo('10.1.0.5/24'), interfaceInfo('fd77::5/64'), interfaceInfo('fe80::6/64', 3)],
    gone: undefined,
  },
  ['eth1'],
)

describe('InterfaceLookup', () => {
  it.each([
    ['10.0.0.77', 'eth0'],
    ['10.1.0.77', 'eth1'],
    ['fd77::77', 'eth1'],
    ['fe80::77%eth0', 'eth0'],
    ['fe80::77%3', 'eth1'],
    ['::ffff:10.0.0.77', 'eth0'],
  ])('finds %s on %s', (address, name) => expect([lookup.interfaceOf(address), lookup.isNear(address)]).toEqual([name, true]))

  it.each(['192.168.7.7', 'fd88::1'])('uses the first interface for %s, which is in no known network', (address) =>
    expect([lookup.interfaceOf(address), lookup.isNear(address)]).toEqual(['eth1', false]),
  )

  it.each(['127.0.0.1', '127.9.9.9', '::1'])('finds no interface for the loopback address %s', (address) =>
    expect(lookup.interfaceOf(address)).toBeUndefined(),
  )
})
