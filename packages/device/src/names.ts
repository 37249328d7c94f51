import type { Version } from '@slotwire/core'
import * as contracts from '@slotwire/modules/contracts'

/** What all services report as their version and as that of the module driver: clients of the original services require major version 1. */
export const SERVICE_VERSION: Version = { major: 1, minor: 0, patch: 0 }

/** Loopback port of each service when a device serves it alone, by service name. */
export const SERVICE_PORTS: Readonly<Record<string, number>> = Object.fromEntries(
  Object.values(contracts).map(({ service, port }) => [service, port]),
)

/** Names of the module services: their path segments. */
export const SERVICE_NAMES: readonly string[] = Object.values(contracts).map(({ service }) => service)
