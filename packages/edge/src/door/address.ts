import { BlockList, isIP, isIPv4, isIPv6, SocketAddress } from 'node:net'

/** An IPv4 address in IPv6 form (RFC 4291, 2.5.5.2). */
const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/
/** Groups of an IPv6 address that form the network: one household or host gets a /64. */
const NETWORK_GROUPS = 4
const GROUPS = 8

/** An IP address in canonical form (RFC 5952); undefined for other text and for addresses with a zone (`%eth0`). */
export function canonicalAddress(text: string): string | undefined {
  if (isIP(text) === 0 || text.includes('%')) return undefined
  return new SocketAddress({ address: text, family: isIPv4(text) ? 'ipv4' : 'ipv6' }).address
}

/** An IP address in canonical form, IPv4-mapped ones as IPv4, without zone. Undefined for other text. */
export function plainAddress(text: string): string | undefined {
  if (isIPv4(text)) return text
  const canonical = canonicalAddress(text.replace(/%.*$/s, ''))
  return MAPPED.exec(canonical ?? '')?.[1] ?? canonical
}

/** Key of a client: an IPv4 address, or the /64 of an IPv6 address. `address` as from `plainAddress`. */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address
  const [head = '', tail] = address.split('::')
  const before = groupsIn(head)
  const after = groupsIn(tail ?? '')
  const zeros = tail === undefined ? 0 : GROUPS - before.length - after.length
  return `${[...before, ...Array<string>(zeros).fill('0'), ...after].slice(0, NETWORK_GROUPS).join(':')}::/64`
}

/** An IPv4 address at the end counts as two groups. */
function groupsIn(text: string): readonly string[] {
  return text === '' ? [] : text.split(':').flatMap((group) => (group.includes('.') ? [group, group] : [group]))
}

const LOOPBACK = new BlockList()
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4')
LOOPBACK.addAddress('::1', 'ipv6')

/** Whether a text is an IP address that is on this machine only. */
export function isLoopbackAddress(text: string): boolean {
  return isIP(text) !== 0 && LOOPBACK.check(text, isIPv4(text) ? 'ipv4' : 'ipv6')
}
