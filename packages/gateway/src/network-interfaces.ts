import type { NetworkInterfaceInfo } from 'node:os'

/** The system's network interfaces by name, as `os.networkInterfaces` tells them. */
export type NetworkInterfaces = Readonly<Record<string, readonly NetworkInterfaceInfo[] | undefined>>

/** The system as the gateway sees it. */
export interface HostNetwork {
  interfaces(): NetworkInterfaces
  hostName(): string
}

export const ANY_IPV4 = '0.0.0.0'
/** A door that listens here takes IPv4 as well. */
export const ANY_ADDRESS = '::'

/** Whether an address can only be reached with the name of an interface beside it. */
export function isLinkLocal(address: string): boolean {
  return /^fe[89ab]/i.test(address)
}

/**
 * Addresses of this host at which others reach a door that listens at `listen`: loopback and link-local IPv6 ones are left out; `0.0.0.0`
 * stands for all of IPv4, `::` for all.
 */
export function reachableAddresses(listen: readonly string[], interfaces: NetworkInterfaces): readonly string[] {
  const own = Object.values(interfaces).flatMap((infos) => infos ?? [])
  const reachable = own.filter(({ internal, address, family }) => {
    if (internal || isLinkLocal(address)) return false
    return listen.includes(address) || listen.includes(ANY_ADDRESS) || (family === 'IPv4' && listen.includes(ANY_IPV4))
  })
  return [...new Set(reachable.map(({ address }) => address))]
}
