import type { NetworkInterfaceInfo } from 'node:os'
import type { Log } from '@slotwire/core'
import type { Listen, ListenerPolicy, OpenDoor, ServerCertificate } from '@slotwire/edge'
import type { Settings } from './settings/settings.ts'

/** A door to open; port 0 lets the system choose one. */
export interface PlannedDoor {
  readonly scheme: 'http' | 'https'
  readonly host: string
  readonly port: number
}

/** The doors for these settings. */
export function plannedDoors({
  listen,
  httpsPort,
  httpPort,
}: Pick<Settings, 'listen' | 'httpsPort' | 'httpPort'>): readonly PlannedDoor[] {
  return [...new Set(widest(listen))].flatMap((host) => [
    { scheme: 'https', host, port: httpsPort },
    ...(httpPort === undefined ? [] : [{ scheme: 'http', host, port: httpPort } as const]),
  ])
}

/** Omits addresses within a wildcard: they cannot be opened at the same time. */
function widest(listen: readonly string[]): readonly string[] {
  if (listen.includes(ANY_ADDRESS)) return [ANY_ADDRESS]
  return listen.includes(ANY_IPV4) ? listen.filter((host) => host === ANY_IPV4 || host.includes(':')) : listen
}

/** Identifies a planned door. */
const doorKey = ({ scheme, host, port }: PlannedDoor) => `${scheme} ${host} ${port}`

/** Most connections of one address, or one /64 of IPv6, at a network door. */
export const CONNECTIONS_PER_ADDRESS = 2_000

/** A door that could not be opened, and the system's error. */
export interface DoorFailure {
  readonly door: PlannedDoor
  readonly error: unknown
}

export interface NetworkDoorsOptions {
  readonly listen: Listen
  readonly policy: Pick<ListenerPolicy, 'checkAccess'>
  /** Addresses of configured proxies, which connect for many clients; the present setting. */
  readonly proxies: () => readonly string[]
  readonly log: Log
}

/** The open network doors. */
export class NetworkDoors {
  #renewed: ServerCertificate | undefined
  readonly #open = new Map<string, { readonly planned: PlannedDoor; readonly door: OpenDoor }>()

  constructor(private readonly options: NetworkDoorsOptions) {}

  /** Open doors with their actual ports. */
  get listening(): readonly PlannedDoor[] {
    return [...this.#open.values()].map(({ planned: { scheme, host }, door }) => ({ scheme, host, port: door.address.port }))
  }

  /**
   * Closes doors that are no longer planned and opens new ones; other doors stay untouched. Resolves with the doors that could not be
   * opened: they are tried again the next time.
   */
  async open(planned: readonly PlannedDoor[], certificate: ServerCertificate | undefined): Promise<readonly DoorFailure[]> {
    const wanted = new Set(planned.map(doorKey))
    const leaving = [...this.#open].filter(([key]) => !wanted.has(key))
    for (const [key] of leaving) this.#open.delete(key)
    // Close first: a new door may use the port of an old one.
    await Promise.all(leaving.map(([, { door }]) => door.close()))
    const failures: DoorFailure[] = []
    // Doors that open during a renewal also get the renewed certificate.
    this.#renewed = undefined
    for (const door of planned) {
      if (this.#open.has(doorKey(door))) continue
      try {
        const opened = await this.#listen(door, this.#renewed ?? certificate)
        this.#open.set(doorKey(door), { planned: door, door: opened })
        if (this.#renewed !== undefined) this.renew(this.#renewed)
        this.options.log.info({ ...door }, 'a network door is open')
      } catch (error) {
        failures.push({ door, error })
      }
    }
    return failures
  }

  /** Replaces the certificate of every TLS door. */
  renew(certificate: ServerCertificate): void {
    this.#renewed = certificate
    for (const { planned, door } of this.#open.values()) if (planned.scheme === 'https') door.renewCertificate(certificate)
  }

  #listen({ scheme, host, port }: PlannedDoor, certificate: ServerCertificate | undefined): Promise<OpenDoor> {
    const { listen, policy } = this.options
    const connectionsPerAddress = (address: string): number =>
      this.options.proxies().includes(address) ? Number.POSITIVE_INFINITY : CONNECTIONS_PER_ADDRESS
    const bounded = { ...policy, kind: 'network', connectionsPerAddress } as const
    if (scheme === 'http') return listen({ host, port }, bounded)
    if (certificate === undefined) throw new Error('there is no certificate for a door with TLS')
    return listen({ host, port }, { ...bounded, tls: certificate })
  }
}

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
 * The addresses of this host at which a door listens, without link-local IPv6 addresses. `0.0.0.0` means all IPv4 addresses, `::` all
 * addresses.
 */
export function ownAddresses(listen: readonly string[], interfaces: NetworkInterfaces): readonly NetworkInterfaceInfo[] {
  const own = Object.values(interfaces).flatMap((infos) => infos ?? [])
  return own.filter(({ address, family }) => {
    if (isLinkLocal(address)) return false
    return listen.includes(address) || listen.includes(ANY_ADDRESS) || (family === 'IPv4' && listen.includes(ANY_IPV4))
  })
}

/** Addresses at which other hosts reach a door: those of `ownAddresses` without loopback. */
export function reachableAddresses(listen: readonly string[], interfaces: NetworkInterfaces): readonly string[] {
  const reachable = ownAddresses(listen, interfaces).filter(({ internal }) => !internal)
  return [...new Set(reachable.map(({ address }) => address))]
}
