import { hostname, networkInterfaces } from 'node:os'
import type { Contract } from '@slotwire/contract'
import { type Clock, codeOf, type Log, messageOf, systemRandom, systemWallTime } from '@slotwire/core'
import { FailedLogins, listen, loopbackAccess, networkAccess, type ProxyNames } from '@slotwire/edge'
import { HistoryFiles } from '@slotwire/events'
import {
  assertNotRestoring,
  auditWrites,
  certificateExtension,
  completeRestore,
  createAnnouncer,
  DeviceNetwork,
  type DoorFailure,
  FileAuditLog,
  machineId,
  type PlannedDoor,
  reachableAddresses,
  type Settings,
  SettingsFile,
  TokenStore,
} from '@slotwire/network'
import { defaultHttpLimits, type Service } from '@slotwire/service'
import type { Hardware } from '../serve/hardware.ts'
import { isUnwritable, nextBoot, type StateAccess } from '../state/state-access.ts'
import { withWriteErrors } from '../state/state-folder.ts'
import { asUsageError, UsageError } from '../terminal/usage-error.ts'
import { mostDescriptors, processLimits } from './descriptors.ts'

/** Settings given as options, for this run only. They take precedence over the settings file. */
export type SettingsOverrides = Partial<Settings>

/** The response at `/slotwire/status`, for programs of this machine only. */
export interface ServiceStatus {
  readonly pid: number
  readonly hardware: Hardware
  readonly stateFolder: string
  /** Names of the module services in this process. */
  readonly services: readonly string[]
  /** The open network doors. Empty if the network is not allowed in. */
  readonly networkDoors: readonly PlannedDoor[]
  /** Configured doors that could not be opened. */
  readonly missingDoors: readonly (PlannedDoor & { readonly reason: string })[]
}

interface NetworkSideOptions {
  readonly hardware: Hardware
  readonly state: StateAccess
  readonly overrides: SettingsOverrides
  /** The address from which the bench can be reached over the network. */
  readonly benchFrom: string | undefined
  /** Contracts of the services in this process. */
  readonly own: readonly Contract[]
  /** Contracts of all module services. */
  readonly contracts: readonly Contract[]
  readonly clock: Clock
  readonly log: Log
}

/** Everything between a device and its callers: settings, tokens, doors, certificates and discovery. */
export type NetworkSide = ReturnType<typeof makeNetworkSide>

/** Reads settings and identity; opens nothing yet. Throws `UsageError` for unusable files. */
export function networkSide(options: NetworkSideOptions): NetworkSide {
  try {
    return withWriteErrors(options.state.folder, () => makeNetworkSide(options))
  } catch (error) {
    throw asUsageError(error)
  }
}

function makeNetworkSide(options: NetworkSideOptions) {
  const { state, overrides, own, contracts, clock, log, hardware } = options
  const { folder, guard } = state
  const wallTime = systemWallTime
  state.prepare(() => {
    const restored = completeRestore(folder)
    if (restored !== undefined) log.warn(restored, 'an interrupted restore was completed')
  })
  // Never serve a mix of old and new files.
  assertNotRestoring(folder)
  const file = new SettingsFile({ folder, log, guard })
  const initial: Settings = { ...file.load(), ...overrides }
  const boot = nextBoot(state, wallTime)
  const history = new HistoryFiles({ folder, boot, clock, log, guard })
  const audit = new FileAuditLog({ folder, wallTime, log, clock })
  const tokens = new TokenStore({ folder, clock, wallTime, random: systemRandom, log, guard })
  // Logs at the start if no token can be accepted.
  tokens.check()
  const failures = new FailedLogins({ clock, log })
  const identity = machineId({ folder, random: systemRandom, prepare: (store) => state.prepare(store) })
  const network = { interfaces: networkInterfaces, hostName: hostname }
  const deviceNetwork = new DeviceNetwork(
    {
      folder,
      machineId: identity,
      services: own.map(({ service }) => ({ name: `${service}-module`, path: `/api/${service}/` })),
      network,
      clock,
      wallTime,
      log,
      audit,
      guard,
      makeAnnouncer: (kind, onRenamed) =>
        createAnnouncer({ kind, folder, network, clock, random: systemRandom, log, guard, onRenamed }),
    },
    initial,
  )
  const onWrite = auditWrites(audit)
  const status = (): ServiceStatus => ({
    pid: process.pid,
    hardware,
    stateFolder: folder,
    services: own.map(({ service }) => service),
    networkDoors: deviceNetwork.listening,
    missingDoors: deviceNetwork.missing.map(({ door, error }) => ({ ...door, reason: codeOf(error) ?? String(error) })),
  })
  const { benchFrom } = options
  if (benchFrom !== undefined)
    log.warn({ address: benchFrom }, 'the bench can be reached from the network, with a token for all services')
  const access = {
    benchFrom,
    tokens,
    failures,
    proxies: () => deviceNetwork.settings.proxies,
    corsOrigins: () => deviceNetwork.settings.corsOrigins,
    contracts,
    onWrite,
    resources: {
      paths: () => ({ machineId: deviceNetwork.settings.machineIdPath, tlsCa: deviceNetwork.settings.tlsCaPath }),
      machineId: () => `${identity}\n`,
      tlsCa: () => deviceNetwork.certificates?.authorityPem,
    },
  }
  // A service of some types, at more ports or with names in its settings stands behind a proxy of the operator.
  const isSeparate = own.length < contracts.length
  const proxyNames = (): ProxyNames | undefined => {
    const { loopbackHosts, loopbackPorts, hostName = hostname() } = deviceNetwork.settings
    if (!isSeparate && loopbackHosts.length + loopbackPorts.length === 0) return undefined
    const ownNames = [hostname(), hostName].flatMap((name) => [name, ...name.split('.', 1)]).map((name) => name.toLowerCase())
    const device = [...loopbackHosts, ...ownNames, ...ownNames.map((name) => `${name}.local`)]
    return { device, services: contracts.map(({ service }) => service) }
  }
  /** Reads settings and certificates again. Logs what fails and keeps its old value. */
  const reload = async (): Promise<void> => {
    try {
      const { settings, changed } = file.reload()
      await deviceNetwork.reloadCertificates()
      const outcome = await deviceNetwork.apply({ ...settings, ...overrides }).then(
        (failed) => failed.map((failure) => refusedDoor(failure).message),
        (error: unknown) => [messageOf(error)],
      )
      for (const message of outcome) log.error({}, message)
      if (changed.length > 0) {
        const result = outcome.length === 0 ? 'success' : outcome.join('; ')
        audit.add({ who: 'local', action: 'settings.reload', what: { settings: changed }, result })
      }
      await deviceNetwork.announce()
    } catch (error) {
      log.error({ err: error }, 'settings and certificates could not be read again: the current ones stay in force')
    }
  }
  return {
    settings: initial,
    machineId: identity,
    /** Options for the service. */
    service: {
      extensions: [certificateExtension(deviceNetwork)],
      metrics: [() => deviceNetwork.certificates?.metrics() ?? [], failures.metrics, tokens.metrics, audit.metrics],
      onWrite,
      pins: () => deviceNetwork.settings.pins,
      boot,
      history,
      warnings: () => [...state.warnings, ...file.warnings, ...tokens.warnings, ...audit.warnings, ...history.warnings],
      limits: { connections: maxConnections(processLimits()), streams: initial.streams },
    },
    loopback: { checkAccess: loopbackAccess({ ...access, status, proxyNames }) },
    /** Opens the network doors. Throws `UsageError` if a door named on the command line cannot be opened. */
    open: async (service: Service): Promise<void> => {
      const failed = await deviceNetwork
        .open((at, policy) => listen(service, at, policy), { checkAccess: networkAccess(access) })
        .catch((error: unknown) => {
          if (!isUnwritable(error)) throw asUsageError(error)
          log.error({ err: error }, 'doors with TLS stay closed until their certificate can be stored')
          state.prepare(() => void reload())
          return []
        })
      const [first] = failed
      // The user can correct an option. A device that starts by itself should still serve in part.
      if (first !== undefined && overrides.listen !== undefined) throw refusedDoor(first)
      for (const failure of failed) log.error({ err: failure.error, ...failure.door }, refusedDoor(failure).message)
    },
    /** The URLs of the network doors now. */
    urls: (): readonly string[] => deviceNetwork.listening.flatMap((door) => urlsOf(door, deviceNetwork.announcedHostName)),
    /** Announces the device in the network. Call when it is ready. */
    announce: () => deviceNetwork.announce(),
    reload,
    /** Withdraws the announcement. Call before the service is closed. */
    goodbye: () => deviceNetwork.close(),
    /** Call after the service is closed. */
    close: (): void => {
      tokens.close()
      audit.close()
    },
  }
}

/** The error for a network door that cannot be opened, with a remedy. */
export function refusedDoor({ door: { scheme, host, port }, error }: DoorFailure): UsageError {
  const option = scheme === 'https' ? '--https-port' : '--http-port'
  const at = `${scheme} at ${host} port ${port}`
  const messages: Readonly<Record<string, string>> = {
    EADDRINUSE: `${at} is taken: choose another port with ${option}`,
    EACCES: `this user may not open ${at}: choose a port of 1024 or more with ${option}`,
    EADDRNOTAVAIL: `${host} is not an address of this machine: choose another with --listen, or 0.0.0.0 for all`,
  }
  return new UsageError(messages[codeOf(error) ?? ''] ?? `${at} cannot be opened (${messageOf(error)})`, { cause: error })
}

const DEFAULT_PORTS = { https: 443, http: 80 } as const

/** URLs by the announced name or, without one, by the addresses. */
function urlsOf({ scheme, host, port }: PlannedDoor, announcedHostName: string | undefined): readonly string[] {
  const end = port === DEFAULT_PORTS[scheme] ? '' : `:${port}`
  const hosts = announcedHostName === undefined ? reachableAddresses([host], networkInterfaces()) : [`${announcedHostName}.local`]
  const named = hosts.length === 0 ? [host] : hosts
  return named.map((name) => `${scheme}://${name.includes(':') ? `[${name}]` : name}${end}`)
}

/** File descriptors kept for everything but connections: stored files, the processes of slots, listeners. */
const RESERVED_DESCRIPTORS = 128
/** At least this share of the descriptors is for connections. */
const MIN_CONNECTIONS_SHARE = 1 / 2

/**
 * Connections that one service may have over all doors, so that files can still be opened while every connection is in use. `limits` is the
 * text of `/proc/self/limits`; without it, the service's own bound.
 */
export function maxConnections(limits: string | undefined): number {
  const descriptors = mostDescriptors(limits)
  if (descriptors === undefined) return defaultHttpLimits.connections
  const free = Math.max(descriptors - RESERVED_DESCRIPTORS, descriptors * MIN_CONNECTIONS_SHARE)
  return Math.min(defaultHttpLimits.connections, Math.floor(free))
}
