import { createSocket, type RemoteInfo, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { BlockList } from 'node:net'
import type { NetworkInterfaceInfo } from 'node:os'
import { Listeners, type Log, messageOf, orElse } from '@slotwire/core'
import type { NetworkInterfaces } from '../../network-doors.ts'

const MDNS_PORT = 5353
const GROUPS = { IPv4: '224.0.0.251', IPv6: 'ff02::fb' } as const
/** RFC 6762 section 11. */
const HOPS = 255

type Family = keyof typeof GROUPS

/** A message received from a network. */
export interface Datagram {
  readonly bytes: Buffer
  /** The interface that leads to the sender. */
  readonly interfaceName: string
  /** Sent from another port than 5353: a legacy resolver, which needs a unicast response (RFC 6762 section 6.7). */
  readonly isLegacy: boolean
  /** Responds to the sender only, if it is in one of this host's networks. Never rejects: a message that cannot be sent is lost. */
  reply(bytes: Buffer): Promise<void>
}

interface JoinedSocket {
  /** Name of the interface. */
  readonly name: string
  readonly family: Family
  readonly socket: Socket
}

/** Multicast DNS cannot be used at all; the message gives the reason. */
export class MulticastUnavailable extends Error {
  override readonly name = 'MulticastUnavailable'
}

/**
 * Joins multicast DNS on the named interfaces, with the address families of each. Skips interfaces that cannot be joined. Throws
 * `MulticastUnavailable` if none can.
 */
export async function openMulticastLink(
  interfaces: NetworkInterfaces,
  names: readonly string[],
  log: Log,
): Promise<MulticastLink> {
  const failures: string[] = []
  const join = async (name: string, family: Family): Promise<readonly JoinedSocket[]> => {
    const address = interfaces[name]?.find((info) => info.family === family)?.address
    if (address === undefined) return []
    try {
      return [{ name, family, socket: await joined(family, family === 'IPv4' ? address : `::%${name}`) }]
    } catch (error) {
      const reason = messageOf(error)
      failures.push(`${name} ${family}: ${reason}`)
      log.debug({ interface: name, family, reason }, 'no multicast DNS on this interface')
      return []
    }
  }
  const sockets = (await Promise.all(names.flatMap((name) => [join(name, 'IPv4'), join(name, 'IPv6')]))).flat()
  if (sockets.length > 0) return new SocketLink(names, sockets, new InterfaceLookup(interfaces, names), log)
  throw new MulticastUnavailable(failures.length > 0 ? failures.join('; ') : 'there is no network interface with an address')
}

/** A socket that receives the group's messages from every joined interface and sends on this one. */
async function joined(family: Family, interfaceAddress: string): Promise<Socket> {
  const isIPv6 = family === 'IPv6'
  // Share the port with other programs on this host.
  const socket = createSocket({ type: isIPv6 ? 'udp6' : 'udp4', reuseAddr: true, ipv6Only: isIPv6 })
  try {
    socket.bind(MDNS_PORT)
    await once(socket, 'listening')
    socket.addMembership(GROUPS[family], interfaceAddress)
    socket.setMulticastInterface(interfaceAddress)
    socket.setMulticastTTL(HOPS)
    socket.setTTL(HOPS)
    // Other programs on this host must receive the messages too.
    socket.setMulticastLoopback(true)
    return socket
  } catch (error) {
    socket.close()
    throw error
  }
}

/** Interfaces that joined multicast DNS, with their indexes, from the kernel's lists; empty without such lists. */
function memberships(names: readonly string[]): string {
  const [igmp = '', igmp6 = ''] = ['igmp', 'igmp6'].map((file) => orElse('', () => readFileSync(`/proc/net/${file}`, 'latin1')))
  const IPv4 = igmp.split(/^(?=\d)/m).filter((device) => /^\s+(FB0000E0|E00000FB)\b/m.test(device))
  const IPv6 = igmp6.split('\n').filter((line) => line.includes(' ff0200000000000000000000000000fb '))
  const members = [IPv4, IPv6].map((lines) => lines.map((line) => line.split(/\s+/, 2)))
  return JSON.stringify(members.map((pairs) => pairs.filter(([, name = '']) => names.includes(name)).sort()))
}

class SocketLink {
  readonly #memberships: string
  readonly #listeners: Listeners<Datagram>

  constructor(
    /** Names of the interfaces. */
    readonly interfaces: readonly string[],
    private readonly sockets: JoinedSocket[],
    lookup: InterfaceLookup,
    private readonly log: Log,
  ) {
    this.#memberships = memberships(interfaces)
    this.#listeners = new Listeners((error) => log.error({ err: error }, 'a message of multicast DNS could not be processed'))
    for (const { name, family, socket } of sockets) {
      socket.on('error', (error) => log.debug({ interface: name, family, err: error }, 'a socket of multicast DNS failed'))
      socket.on('message', (bytes, from) => {
        // On Linux every socket receives the messages of all interfaces.
        if (lookup.interfaceOf(from.address) !== name) return
        const reply = async (answer: Buffer): Promise<void> => {
          if (lookup.isNear(from.address)) await this.#send(socket, answer, from)
        }
        this.#listeners.emit({ bytes, interfaceName: name, isLegacy: from.port !== MDNS_PORT, reply })
      })
    }
  }

  /** Whether the system still lists all memberships: an interface that is deleted and made again has none. */
  get isJoined(): boolean {
    return memberships(this.interfaces) === this.#memberships
  }

  /** Resolves when the message has been sent. Never rejects: a message that cannot be sent is lost. */
  async send(interfaceName: string, bytes: Buffer): Promise<void> {
    const own = this.sockets.filter(({ name }) => name === interfaceName)
    await Promise.all(own.map(({ socket, family }) => this.#send(socket, bytes, { address: GROUPS[family], port: MDNS_PORT })))
  }

  /** Calls `listener` for each message, this host's own included, until the returned function is called. */
  listen(listener: (datagram: Datagram) => void): () => void {
    return this.#listeners.add(listener)
  }

  async close(): Promise<void> {
    await Promise.all(this.sockets.splice(0).map(({ socket }) => new Promise<void>((resolve) => socket.close(() => resolve()))))
  }

  #send(socket: Socket, bytes: Buffer, to: Pick<RemoteInfo, 'address' | 'port'>): Promise<void> {
    return new Promise((resolve) => {
      socket.send(bytes, to.port, to.address, (error) => {
        if (error !== null) this.log.debug({ to: to.address, err: error }, 'a message of multicast DNS could not be sent')
        resolve()
      })
    })
  }
}

/** The networks of this host, for multicast DNS. */
export type MulticastLink = Pick<SocketLink, 'interfaces' | 'isJoined' | 'send' | 'listen' | 'close'>

/** Finds the interface that leads to an address. */
export class InterfaceLookup {
  readonly #networks: readonly ReturnType<typeof networkOf>[]
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

  #networkOf(address: string) {
    const [bare = '', zone] = address.split('%')
    const family = bare.includes(':') ? 'ipv6' : 'ipv4'
    return this.#networks.find(({ name, scopes, addresses }) =>
      zone === undefined ? addresses.check(bare, family) : zone === name || scopes.includes(Number(zone)),
    )
  }
}

function networkOf(name: string, infos: readonly NetworkInterfaceInfo[]) {
  const addresses = new BlockList()
  for (const { cidr, family } of infos) {
    const [address = '', prefix] = cidr?.split('/') ?? []
    if (prefix !== undefined) addresses.addSubnet(address, Number(prefix), family === 'IPv4' ? 'ipv4' : 'ipv6')
  }
  /** Interface numbers, used in IPv6 zones in place of the name. */
  const scopes = infos.flatMap((info) => (info.family === 'IPv6' ? [info.scopeid] : []))
  return { name, isLoopback: infos.some(({ internal }) => internal), scopes, addresses }
}
