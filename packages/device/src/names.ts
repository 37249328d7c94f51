import type { Version } from '@slotwire/core'
import * as contracts from '@slotwire/modules/contracts'

/** Version of all that is served: it is built and released as one. */
export const SERVICE_VERSION: Version = { major: 0, minor: 1, patch: 0 }

/** Ports of loopback at which a device has the services of single module types, by their names. */
export const SERVICE_PORTS: Readonly<Record<string, number>> = Object.fromEntries(
  Object.values(contracts).map(({ service, port }) => [service, port]),
)

/** Names of the module services: their path segments. */
export const SERVICE_NAMES: readonly string[] = Object.values(contracts).map(({ service }) => service)
