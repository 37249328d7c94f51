import type { NetworkInterfaceInfo } from 'node:os'
import { expect, it } from 'vitest'
import { isLinkLocal, reachableAddresses } from './network-doors.ts'

function info(address: string, internal = false): NetworkInterfaceInfo {
  const rest = { address, netmask: '', mac: '', internal, cidr: null }
  return address.includes(':') ? { ...rest, family: 'IPv6', scopeid: 0 } : { ...rest, family: 'IPv4' }
}

const interfaces = {
  lo: [info('127.0.0.1', true), info('::1', true)],
  eth0: [info('10.0.0.5'), info('fd00::5'), info('fe80::5')],
  eth1: [info('192.168.1.5')],
  gone: undefined,
}

it.each([
  [['0.0.0.0'], ['10.0.0.5', '192.168.1.5']],
  [['::'], ['10.0.0.5', 'fd00::5', '192.168.1.5']],
  [['fd00::5'], ['fd00::5']],
  [['192.168.1.5'], ['192.168.1.5']],
  [['127.0.0.1'], []],
  [['::1', '10.9.9.9'], []],
  [[], []],
])('reachableAddresses turns the listen addresses %j into %j', (listen, reachable) =>
  expect(reachableAddresses(listen, interfaces)).toEqual(reachable),
)

it('isLinkLocal accepts fe80 to febf', () => {
  const addresses = ['fe80::1', 'FEBF::1', 'fec0::1', 'fd77::1', '169.254.0.1']
  expect(addresses.filter(isLinkLocal)).toEqual(['fe80::1', 'FEBF::1'])
})
