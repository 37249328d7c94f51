import { BlockList } from 'node:net'
import type { NetworkInterfaceInfo } from 'node:os'
import type { NetworkInterfaces } from '../../network-doors.ts'

interface Network {
  readonly name: string
  readonly isLoopback: boolean
  /** Interface numbers, used in IPv6 zones in place of the name. */
  readonly scopes: readonly number[]
  readonly addresses: BlockList
}

/** Finds the interface that leads to an address. */
export class InterfaceLookup {
  readonly #networks: readonly Network[]
  readonly #fallback: string | undefined

  /** `used`: the interfaces that are listened on. */
  constructor(interfaces: NetworkInterfaces, used: readonly string[]) {
    this.#networks = Object.entries(interfaces).map(([name, infos = []]) => networkOf(name, infos))
    this.#fallback = used[0]
  }

  /**
   * The interface that leads to an address. An address in no known network is assumed on the first interface: its host may have a static
   * address. Undefined for loopback addresses.
   */
  interfaceOf(address: string): string | undefined {
    const network = this.#networkOf(address)
    return network?.isLoopback === true ? undefined : (network?.name ?? this.#fallback)
  }

  /** Whether an address is in a network of this host. Only such addresses get unicast responses: other sender addresses may be forged. */
  isNear(address: string): boolean {
    return this.#networkOf(address) !== undefined
  }

  #networkOf(address: string): Network | undefined {
    const [bare = '', zone] = address.split('%')
    const family = bare.includes(':') ? 'ipv6' : 'ipv4'
    return this.#networks.find(({ name, scopes, addresses }) =>
      zone === undefined ? addresses.check(bare, family) : zone === name || scopes.includes(Number(zone)),
    )
  }
}

function networkOf(name: string, infos: readonly NetworkInterfaceInfo[]): Network {
  const addresses = new BlockList()
  for (const { cidr, family } of infos) {
    const [address = '', prefix] = cidr?.split('/') ?? []
    if (prefix !== undefined) addresses.addSubnet(address, Number(prefix), family === 'IPv4' ? 'ipv4' : 'ipv6')
  }
  const scopes = infos.flatMap((info) => (info.family === 'IPv6' ? [info.scopeid] : []))
  return { name, isLoopback: infos.some(({ internal }) => internal), scopes, addresses }
}
