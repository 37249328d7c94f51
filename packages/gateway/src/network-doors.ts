import type { Log } from '@slotwire/core'
import type { Listen, ListenerPolicy, OpenDoor } from '@slotwire/edge'
import type { ServerCertificate } from './certificates/signing.ts'
import { ANY_ADDRESS, ANY_IPV4 } from './network-interfaces.ts'
import type { Settings } from './settings/settings.ts'

/** A door as it is wished for; port 0 lets the system pick one. */
export interface PlannedDoor {
  readonly scheme: 'http' | 'https'
  readonly host: string
  readonly port: number
}

/** The doors that these settings ask for. */
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

/** Addresses that another one contains cannot be had beside it. */
function widest(listen: readonly string[]): readonly string[] {
  if (listen.includes(ANY_ADDRESS)) return [ANY_ADDRESS]
  return listen.includes(ANY_IPV4) ? listen.filter((host) => host === ANY_IPV4 || host.includes(':')) : listen
}

/** What tells one planned door from another. */
const doorKey = ({ scheme, host, port }: PlannedDoor) => `${scheme} ${host} ${port}`

/** Connections that one address, or one /64 of IPv6, may have at the network door. */
export const CONNECTIONS_PER_ADDRESS = 2_000

/** A door that could not be opened, and the system's error. */
export interface DoorFailure {
  readonly door: PlannedDoor
  readonly error: unknown
}

export interface NetworkDoorsOptions {
  readonly listen: Listen
  readonly policy: Pick<ListenerPolicy, 'checkAccess' | 'forward'>
  /** Addresses that speak for many clients, as the settings have them now. */
  readonly proxies: () => readonly string[]
  readonly log: Log
}

/** The doors at which the network comes in. */
export class NetworkDoors {
  readonly #options: NetworkDoorsOptions
  #renewed: ServerCertificate | undefined
  readonly #open = new Map<string, { readonly planned: PlannedDoor; readonly door: OpenDoor }>()

  constructor(options: NetworkDoorsOptions) {
    this.#options = options
  }

  /** Those that are open, at the ports that they really have. */
  get listening(): readonly PlannedDoor[] {
    return [...this.#open.values()].map(({ planned: { scheme, host }, door }) => ({ scheme, host, port: door.address.port }))
  }

  /**
   * Closes what is no longer planned, opens what is new; the rest goes on undisturbed. Tells the doors that could not be opened: they are
   * tried again the next time.
   */
  async open(planned: readonly PlannedDoor[], certificate: ServerCertificate | undefined): Promise<readonly DoorFailure[]> {
    const wanted = new Set(planned.map(doorKey))
    const leaving = [...this.#open].filter(([key]) => !wanted.has(key))
    for (const [key] of leaving) this.#open.delete(key)
    // A new door may want the port of one that leaves.
    await Promise.all(leaving.map(([, { door }]) => door.close()))
    const failures: DoorFailure[] = []
    // One that is renewed while a door opens is for that door, too.
    this.#renewed = undefined
    for (const door of planned) {
      if (this.#open.has(doorKey(door))) continue
      try {
        const opened = await this.#listen(door, this.#renewed ?? certificate)
        this.#open.set(doorKey(door), { planned: door, door: opened })
        if (this.#renewed !== undefined) this.renew(this.#renewed)
        this.#options.log.info({ ...door }, 'a network door is open')
      } catch (error) {
        failures.push({ door, error })
      }
    }
    return failures
  }

  /** Every TLS door presents this from now on. */
  renew(certificate: ServerCertificate): void {
    this.#renewed = certificate
    const { chain: cert, key } = certificate
    for (const { planned, door } of this.#open.values()) if (planned.scheme === 'https') door.renewCertificate({ cert, key })
  }

  #listen({ scheme, host, port }: PlannedDoor, certificate: ServerCertificate | undefined): Promise<OpenDoor> {
    const { listen, policy } = this.#options
    const connectionsPerAddress = (address: string): number =>
      this.#options.proxies().includes(address) ? Number.POSITIVE_INFINITY : CONNECTIONS_PER_ADDRESS
    const bounded = { ...policy, kind: 'network', connectionsPerAddress } as const
    if (scheme === 'http') return listen({ host, port }, bounded)
    if (certificate === undefined) throw new Error('there is no certificate for a door with TLS')
    return listen({ host, port }, { ...bounded, tls: { cert: certificate.chain, key: certificate.key } })
  }
}
