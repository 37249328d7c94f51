import { BlockList } from 'node:net'
import type { NetworkInterfaceInfo } from 'node:os'
import type { NetworkInterfaces } from '../../network-interfaces.ts'

const LOOPBACK = new BlockList()
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4')
LOOPBACK.addAddress('::1', 'ipv6')

interface Network {
  readonly name: string
  /** How IPv6 zones name the interface where they do not use its name. */
  readonly scopes: readonly number[]
  readonly addresses: BlockList
}

/** Which interface leads to an address. */
export class Whereabouts {
  readonly #networks: readonly Network[]
  readonly #fallback: string | undefined

  /** `used` are the interfaces that are listened on. */
  constructor(interfaces: NetworkInterfaces, used: readonly string[]) {
    this.#networks = Object.entries(interfaces).map(([name, infos = []]) => ({
      name,
      scopes: infos.flatMap((info) => (info.family === 'IPv6' ? [info.scopeid] : [])),
      addresses: networkOf(infos),
    }))
    this.#fallback = used[0]
  }

  /**
   * The interface that leads to an address. One of no network that we are in is that of somebody with settings of his own: he is looked for
   * behind the first interface. Undefined for loopback addresses.
   */
  interfaceOf(address: string): string | undefined {
    return isLoopback(address) ? undefined : (this.#networkOf(address)?.name ?? this.#fallback)
  }

  /** Whether an address is in a network that we are in: nobody else is answered alone, who might not have asked. */
  isNear(address: string): boolean {
    return this.#networkOf(address) !== undefined
  }

  #networkOf(address: string): Network | undefined {
    const [bare, zone] = address.split('%')
    return this.#networks.find(({ name, scopes, addresses }) =>
      zone === undefined ? addresses.check(bare ?? '', familyOf(address)) : zone === name || scopes.includes(Number(zone)),
    )
  }
}

function isLoopback(address: string): boolean {
  return LOOPBACK.check(address.split('%')[0] ?? '', familyOf(address))
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return address.includes(':') ? 'ipv6' : 'ipv4'
}

function networkOf(infos: readonly NetworkInterfaceInfo[]): BlockList {
  const network = new BlockList()
  for (const { cidr, family } of infos) {
    const [address = '', prefix] = cidr?.split('/') ?? []
    if (prefix !== undefined) network.addSubnet(address, Number(prefix), family === 'IPv4' ? 'ipv4' : 'ipv6')
  }
  return network
}
