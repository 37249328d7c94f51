import { type Contract, servicePath } from '@slotwire/contract'
import type { FirmwareDefinition, ModuleTypes } from '@slotwire/twin'

/** Firmware and contract of a module type. */
export interface CatalogEntry {
  readonly firmware: FirmwareDefinition
  readonly contract: Contract
}

/** Module types that can be plugged, by service name: `io`. */
export type ModuleCatalog = Readonly<Record<string, CatalogEntry>>

/** The firmware of all module types, by service name. */
export function typesIn(catalog: ModuleCatalog): ModuleTypes {
  return Object.fromEntries(Object.entries(catalog).map(([name, { firmware }]) => [name, firmware]))
}

/** Endpoint of a module type that delivers the alerts of a pin. */
export interface AlertEndpoint {
  /** Flags of the reply, with their descriptions. */
  readonly flags: Readonly<Record<string, string>>
  /** Name of the pin in the path, and in the journal's alerts. */
  readonly pinName: string
  readonly pathOf: (slot: number, pin: number) => string
}

/** Finds the endpoint with `effect: 'deliver'` and one path parameter, the pin. Undefined if the type has none. */
export function alertEndpointOf({ service, endpoints }: Contract): AlertEndpoint | undefined {
  const endpoint = Object.values(endpoints).find(({ effect }) => effect === 'deliver')
  const [parameter, second] = Object.keys(endpoint?.parameters ?? {})
  if (endpoint?.reply.type !== 'object' || parameter === undefined || second !== undefined) return undefined
  const fields = Object.entries(endpoint.reply.properties).filter(([, { type }]) => type === 'boolean')
  return {
    pinName: parameter,
    flags: Object.fromEntries(fields.map(([name, { description = name }]) => [name, description])),
    pathOf: (slot, pin) => `${servicePath(service)}/${slot}${endpoint.path.replace(`{${parameter}}`, String(pin))}`,
  }
}

/** Flags of all module types, with their descriptions. */
export function flagsIn(catalog: ModuleCatalog): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.values(catalog).flatMap(({ contract }) => Object.entries(alertEndpointOf(contract)?.flags ?? {})),
  )
}
