import { hostname, networkInterfaces } from 'node:os'
import type { Contract } from '@slotwire/contract'
import { type Clock, codeOf, type Log, systemRandom, systemWallTime } from '@slotwire/core'
import type { ListenerPolicy } from '@slotwire/edge'
import { createForwarder, FailedLogins, listen, loopbackAccess, networkAccess } from '@slotwire/edge'
import {
  auditWrites,
  completeRestore,
  createAnnouncer,
  type DoorFailure,
  FileAuditLog,
  Gateway,
  machineId,
  type PlannedDoor,
  reachableAddresses,
  type Settings,
  SettingsFile,
  TokenStore,
} from '@slotwire/gateway'
import type { Service } from '@slotwire/service'
import type { Hardware } from '../serve/hardware.ts'
import { writably } from '../state/state-folder.ts'
import { asUsageError } from '../terminal/as-usage-error.ts'
import { UsageError } from '../terminal/usage-error.ts'
import { mostConnections, processLimits } from './most-connections.ts'

/** What was typed for this run alone goes before what the settings say. */
export type SettingsOverrides = Partial<Settings>

/** What a running service answers at `/slotwire/status`, to programs of this machine alone. */
export interface ServiceStatus {
  readonly pid: number
  /** Undefined: a gateway, which drives nothing. */
  readonly hardware?: Hardware | undefined
  readonly stateFolder: string
  /** Names of the module services in this process. */
  readonly services: readonly string[]
  /** The network doors that are open; none: the network is not let in. */
  readonly networkDoors: readonly PlannedDoor[]
  /** Those that are to be open and cannot be opened. */
  readonly missingDoors: readonly (PlannedDoor & { readonly reason: string })[]
}

export interface NetworkSideOptions {
  /** Undefined: nothing is driven. */
  readonly hardware: Hardware | undefined
  /** The state folder, locked. */
  readonly folder: string
  readonly overrides: SettingsOverrides
  /** Of the services in this process. */
  readonly own: readonly Contract[]
  /** Of all services there are. */
  readonly contracts: readonly Contract[]
  readonly clock: Clock
  readonly log: Log
}

/** All that stands between a device and those who call it: settings, tokens, doors, certificates, discovery, and the way to other processes. */
export type NetworkSide = ReturnType<typeof makeNetworkSide>

/** Reads settings and identity; nothing is opened yet. Throws `UsageError` for files that it cannot use. */
export function networkSide(options: NetworkSideOptions): NetworkSide {
  try {
    return writably(options.folder, () => makeNetworkSide(options))
  } catch (error) {
    throw asUsageError(error)
  }
}

function makeNetworkSide(options: NetworkSideOptions) {
  const { folder, overrides, own, contracts, clock, log, hardware } = options
  const wallTime = systemWallTime
  const restored = completeRestore(folder)
  if (restored !== undefined) log.warn(restored, 'a restore that was interrupted was completed')
  const file = new SettingsFile({ folder, services: contracts.map(({ service }) => service), log })
  const initial: Settings = { ...file.load(), ...overrides }
  const audit = new FileAuditLog({ folder, wallTime, log, clock })
  const tokens = new TokenStore({ folder, clock, wallTime, random: systemRandom, log })
  const failures = new FailedLogins({ clock, log })
  const identity = machineId({ folder, random: systemRandom })
  const network = { interfaces: networkInterfaces, hostName: hostname }
  const elsewhere = contracts.filter(({ service }) => service in initial.upstreams)
  const announced = [...new Set([...own, ...elsewhere])]
  const gateway = new Gateway(
    {
      folder,
      machineId: identity,
      services: announced.map(({ service }) => ({ name: `${service}-module`, path: `/api/${service}/` })),
      network,
      clock,
      wallTime,
      log,
      audit,
      createAnnouncer: (kind) => createAnnouncer({ kind, folder, network, clock, random: systemRandom, log }),
    },
    initial,
  )
  const onWrite = auditWrites(audit)
  const upstreams = () => gateway.settings.upstreams
  const forwarder = createForwarder({ upstreams, contracts, clock, log, random: systemRandom, onWrite })
  const status = (): ServiceStatus => ({
    pid: process.pid,
    hardware,
    stateFolder: folder,
    services: own.map(({ service }) => service),
    networkDoors: gateway.listening,
    missingDoors: gateway.missing.map(({ door, error }) => ({ ...door, reason: codeOf(error) ?? String(error) })),
  })
  const access = {
    tokens,
    failures,
    proxies: () => gateway.settings.proxies,
    contracts,
    onWrite,
    resources: {
      paths: () => ({ machineId: gateway.settings.machineIdPath, tlsCa: gateway.settings.tlsCaPath }),
      machineId: () => `${identity}\n`,
      tlsCa: () => gateway.authorityPem,
    },
  }
  // Where everything is served here, no request is looked at for its destination.
  const forwards = Object.keys(initial.upstreams).length > 0
  const ways: Pick<ListenerPolicy, 'forward'> = forwards ? { forward: (...asked) => forwarder.forward(...asked) } : {}
  return {
    settings: initial,
    /** What the service is to be made with. */
    service: {
      documented: elsewhere.filter((contract) => !own.includes(contract)),
      metrics: [gateway.metrics, failures.metrics, tokens.metrics, audit.metrics],
      onWrite,
      warnings: () => audit.warnings,
      // A forwarded request takes a second connection.
      limits: { connections: mostConnections(processLimits(), forwards ? 2 : 1) },
    },
    loopback: { checkAccess: loopbackAccess({ ...access, status }), ...ways },
    /** Opens the network doors. Throws `UsageError` for one that cannot be had. */
    open: async (service: Service): Promise<void> => {
      const failed = await gateway
        .open((at, policy) => listen(service, at, policy), { checkAccess: networkAccess(access), ...ways })
        .catch((error: unknown) => {
          throw asUsageError(error)
        })
      const [first] = failed
      // What was typed can be corrected; a device that starts by itself is better served in part than not at all.
      if (first !== undefined && overrides.listen !== undefined) throw refused(first)
      for (const failure of failed) log.error({ err: failure.error, ...failure.door }, refused(failure).message)
    },
    /** Where the network finds the device now. */
    urls: (): readonly string[] => gateway.listening.flatMap((door) => urlsOf(door, gateway.announcedHostName)),
    /** Tells the network. Call when the device can be used. */
    announce: () => gateway.announce(),
    /** Reads settings and certificates again; whatever cannot be done is logged, and stays as it was. */
    reload: async (): Promise<void> => {
      try {
        const { settings, changed } = file.reload()
        await gateway.reloadCertificates()
        const outcome = await gateway.apply({ ...settings, ...overrides }).then(
          (failed) => failed.map((failure) => refused(failure).message),
          (error: unknown) => [error instanceof Error ? error.message : String(error)],
        )
        for (const message of outcome) log.error({}, message)
        if (changed.length > 0) {
          const result = outcome.length === 0 ? 'success' : outcome.join('; ')
          audit.add({ who: 'local', action: 'settings.reload', what: { settings: changed }, result })
        }
        await gateway.announce()
      } catch (error) {
        log.error({ err: error }, 'settings and certificates could not be read anew: those in force stay')
      }
    },
    /** Says goodbye: before the service is closed. */
    goodbye: () => gateway.close(),
    /** Answers what is forwarded, or refuses it: while the service is closed. */
    finish: () => forwarder.close(),
    /** After the service is closed. */
    close: (): void => {
      tokens.close()
      audit.close()
    },
  }
}

function refused({ door: { scheme, host, port }, error }: DoorFailure): UsageError {
  const option = scheme === 'https' ? '--https-port' : '--http-port'
  const at = `${scheme} at ${host} port ${port}`
  const messages: Readonly<Record<string, string>> = {
    EADDRINUSE: `${at} is taken: choose another port with ${option}`,
    EACCES: `${at} is not for this user: choose a port of 1024 or more with ${option}`,
    EADDRNOTAVAIL: `${host} is no address of this machine: choose another with --listen, or 0.0.0.0 for all`,
  }
  const reason = error instanceof Error ? error.message : String(error)
  return new UsageError(messages[codeOf(error) ?? ''] ?? `${at} cannot be opened (${reason})`, { cause: error })
}

const DEFAULT_PORTS = { https: 443, http: 80 } as const

/** By its announced name or, where there is none, by its addresses. */
function urlsOf({ scheme, host, port }: PlannedDoor, announcedHostName: string | undefined): readonly string[] {
  const end = port === DEFAULT_PORTS[scheme] ? '' : `:${port}`
  const hosts = announcedHostName === undefined ? reachableAddresses([host], networkInterfaces()) : [`${announcedHostName}.local`]
  const named = hosts.length === 0 ? [host] : hosts
  return named.map((name) => `${scheme}://${name.includes(':') ? `[${name}]` : name}${end}`)
}
