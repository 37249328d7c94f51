import type { NetworkInterfaceInfo } from 'node:os'

/** The system's network interfaces by name, as returned by `os.networkInterfaces`. */
export type NetworkInterfaces = Readonly<Record<string, readonly NetworkInterfaceInfo[] | undefined>>

/** The network properties of this host. */
export interface HostNetwork {
  interfaces(): NetworkInterfaces
  hostName(): string
}

export const ANY_IPV4 = '0.0.0.0'
/** The wildcard for IPv6 and IPv4. */
export const ANY_ADDRESS = '::'

/** Whether an address needs the name of an interface. */
export function isLinkLocal(address: string): boolean {
  return /^fe[89ab]/i.test(address)
}

/**
 * Addresses at which other hosts reach a door that listens on `listen`, without loopback and link-local IPv6 addresses. `0.0.0.0` means all
 * IPv4 addresses, `::` all addresses.
 */
export function reachableAddresses(listen: readonly string[], interfaces: NetworkInterfaces): readonly string[] {
  const own = Object.values(interfaces).flatMap((infos) => infos ?? [])
  const reachable = own.filter(({ internal, address, family }) => {
    if (internal || isLinkLocal(address)) return false
    return listen.includes(address) || listen.includes(ANY_ADDRESS) || (family === 'IPv4' && listen.includes(ANY_IPV4))
  })
  return [...new Set(reachable.map(({ address }) => address))]
}
