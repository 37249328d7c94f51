import type { NetworkInterfaceInfo } from 'node:os'

/** An address of a network interface: `10.0.0.5/24`, also without the prefix. */
export function interfaceInfo(cidr: string, scopeid = 0): NetworkInterfaceInfo {
  const [address = ''] = cidr.split('/')
  const rest = { address, netmask: '', mac: '', internal: /^(127\.|::1$)/.test(address), cidr }
  return address.includes(':') ? { ...rest, family: 'IPv6', scopeid } : { ...rest, family: 'IPv4' }
}
