import { isIP, isIPv4, isIPv6, SocketAddress } from 'node:net'

/** How systems write an IPv4 address where an IPv6 address is expected (RFC 4291, 2.5.5.2). */
const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/
/** Groups of an IPv6 address that name the network: a /64 is what one household or host gets. */
const NETWORK_GROUPS = 4
const GROUPS = 8

/** The one way to write an IP address (RFC 5952); undefined for what is none, or has a zone (`%eth0`). */
export function canonicalAddress(text: string): string | undefined {
  if (isIP(text) === 0 || text.includes('%')) return undefined
  return new SocketAddress({ address: text, family: isIPv4(text) ? 'ipv4' : 'ipv6' }).address
}

/** The one way to write an address: IPv4 where it is one, without a zone. Undefined for what is no address. */
export function plainAddress(text: string): string | undefined {
  if (isIPv4(text)) return text
  const canonical = canonicalAddress(text.replace(/%.*$/s, ''))
  return MAPPED.exec(canonical ?? '')?.[1] ?? canonical
}

/** What counts as one client: an IPv4 address, or the /64 of an IPv6 address. `address` as `plainAddress` writes it. */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address
  const [head = '', tail] = address.split('::')
  const before = groupsIn(head)
  const after = groupsIn(tail ?? '')
  const zeros = tail === undefined ? 0 : GROUPS - before.length - after.length
  return `${[...before, ...Array<string>(zeros).fill('0'), ...after].slice(0, NETWORK_GROUPS).join(':')}::/64`
}

/** An IPv4 address at the end stands for two groups. */
function groupsIn(text: string): readonly string[] {
  return text === '' ? [] : text.split(':').flatMap((group) => (group.includes('.') ? [group, group] : [group]))
}
