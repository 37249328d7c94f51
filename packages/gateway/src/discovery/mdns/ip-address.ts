import { isIPv4, isIPv6 } from 'node:net'

const IPV4_BYTES = 4
const IPV6_BYTES = 16
const GROUP_BYTES = 2
const HEX = 16

/** The 4 or 16 bytes of an IP address without zone; undefined for what is none. */
export function addressBytes(text: string): Uint8Array | undefined {
  if (isIPv4(text)) return Uint8Array.from(text.split('.'), Number)
  if (!isIPv6(text) || text.includes('%')) return undefined
  const [head = '', tail] = text.split('::')
  const first = groupBytes(head)
  const last = groupBytes(tail ?? '')
  return Uint8Array.from([...first, ...Array<number>(IPV6_BYTES - first.length - last.length).fill(0), ...last])
}

/** The bytes of `fd77:1` or `ffff:10.0.0.1`. */
function groupBytes(groups: string): number[] {
  return groups
    .split(':')
    .filter((group) => group !== '')
    .flatMap((group) => {
      if (group.includes('.')) return group.split('.').map(Number)
      const value = Number.parseInt(group, HEX)
      return [value >> 8, value & 0xff]
    })
}

/** The text of 4 or 16 bytes, IPv6 as RFC 5952 has it; undefined for another number of bytes. */
export function addressText(bytes: Uint8Array): string | undefined {
  if (bytes.length === IPV4_BYTES) return bytes.join('.')
  if (bytes.length !== IPV6_BYTES) return undefined
  const groups: string[] = []
  for (let at = 0; at < IPV6_BYTES; at += GROUP_BYTES) {
    groups.push((((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0)).toString(HEX))
  }
  return new URL(`http://[${groups.join(':')}]/`).hostname.slice(1, -1)
}

/** Whether an address only means something with the name of an interface beside it. */
export function isLinkLocal(address: string): boolean {
  return /^fe[89ab]/i.test(address)
}
