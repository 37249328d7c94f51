import { BlockList, isIPv4 } from 'node:net'

/** Networks of this machine and its site: loopback, private, link-local (RFC 1918, 3927, 4193, 4291, 6598). */
const LOCAL = new BlockList()
for (const [network, bits] of [
  ['127.0.0.0', 8],
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['169.254.0.0', 16],
  ['100.64.0.0', 10],
] as const) {
  LOCAL.addSubnet(network, bits, 'ipv4')
}
for (const [network, bits] of [
  ['::1', 128],
  ['fc00::', 7],
  ['fe80::', 10],
] as const) {
  LOCAL.addSubnet(network, bits, 'ipv6')
}

/** Whether an address is on this machine or in its site's network. */
export function isLocal(address: string): boolean {
  return LOCAL.check(address, isIPv4(address) ? 'ipv4' : 'ipv6')
}

/** Whether an address is a wildcard for its family: `0.0.0.0` or `::`. */
export function isUnspecified(address: string): boolean {
  return address === '0.0.0.0' || address === '::'
}
