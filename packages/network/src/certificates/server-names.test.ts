import { describe, expect, it } from 'vitest'
import { interfaceInfo } from '../interface-info.testkit.ts'
import type { NetworkInterfaces } from '../network-doors.ts'
import { type ServerNamesOptions, serverNames } from './server-names.ts'

const interfaces: NetworkInterfaces = {
  lo: [interfaceInfo('127.0.0.1'), interfaceInfo('::1')],
  eth0: [interfaceInfo('192.168.1.7'), interfaceInfo('fd00::7'), interfaceInfo('fe80::7')],
}
const plain: ServerNamesOptions = { hostName: 'line-3', listen: [], names: [], interfaces }
const addressesAt = (...listen: string[]) => serverNames({ ...plain, listen }).addresses

describe('serverNames', () => {
  it('includes the host name, bare and in mDNS, and localhost', () =>
    expect(serverNames(plain)).toEqual({ hosts: ['line-3', 'line-3.local', 'localhost'], addresses: [] }))

  it('puts the announced host name, which may have a number, first', () =>
    expect(serverNames({ ...plain, announcedHostName: 'line-3-2' }).hosts).toEqual(
      'line-3-2 line-3-2.local line-3 line-3.local localhost'.split(' '),
    ))

  it('includes the host name without its domain', () =>
    expect(serverNames({ ...plain, hostName: 'Line-3.example.com' }).hosts).toEqual([
      'line-3.example.com',
      'line-3',
      'line-3.local',
      'localhost',
    ]))

  it('omits a host name that no client could use', () =>
    expect(serverNames({ ...plain, hostName: 'line 3' }).hosts).toEqual(['localhost']))

  it('includes the listen addresses, or all interface addresses for a wildcard', () => {
    expect(addressesAt('10.1.1.1', 'FD00::7')).toEqual(['10.1.1.1', 'fd00::7'])
    expect(addressesAt('0.0.0.0')).toEqual(['127.0.0.1', '192.168.1.7'])
    expect(addressesAt('::')).toEqual(['127.0.0.1', '::1', '192.168.1.7', 'fd00::7'])
  })

  it('includes the names that the operator adds', () => {
    const { hosts, addresses } = serverNames({ ...plain, names: ['press.example.com', '203.0.113.9'] })
    expect(hosts).toContain('press.example.com')
    expect(addresses).toEqual(['203.0.113.9'])
    expect(() => serverNames({ ...plain, names: ['press 4'] })).toThrow('"press 4" is not a valid name for a certificate')
  })

  it('lists each name once', () => {
    const names = serverNames({ ...plain, announcedHostName: 'line-3', names: ['192.168.1.7'], listen: ['0.0.0.0'] })
    expect(names).toEqual({ hosts: ['line-3', 'line-3.local', 'localhost'], addresses: ['192.168.1.7', '127.0.0.1'] })
  })

  it('has at most 100 entries: drops interface addresses, refuses too many names of settings', () => {
    const many = Array.from({ length: 200 }, (_, index) => interfaceInfo(`10.0.${index}.1`))
    const { hosts, addresses } = serverNames({ ...plain, listen: ['0.0.0.0'], interfaces: { veth: many } })
    expect(hosts.length + addresses.length).toBe(100)
    const names = Array.from({ length: 100 }, (_, index) => `host-${index}.example.com`)
    expect(() => serverNames({ ...plain, names })).toThrow('103 names are too many for one certificate: at most 100')
  })
})
