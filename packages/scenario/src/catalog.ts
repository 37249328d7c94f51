import { type Contract, servicePath } from '@slotwire/contract'
import type { FirmwareDefinition } from '@slotwire/twin'

/** Firmware and contract of a module type. */
export interface CatalogEntry {
  readonly firmware: FirmwareDefinition
  readonly contract: Contract
}

/** Module types that can be plugged, by service name: `io`. */
export type ModuleCatalog = Readonly<Record<string, CatalogEntry>>

/** The endpoint of a module type that delivers the alerts of a pin: with `effect: 'deliver'` and one path parameter. Undefined if the type has none. */
export function alertEndpointOf({ service, endpoints }: Contract) {
  const endpoint = Object.values(endpoints).find(({ effect }) => effect === 'deliver')
  const [parameter, second] = Object.keys(endpoint?.parameters ?? {})
  if (endpoint?.reply.type !== 'object' || parameter === undefined || second !== undefined) return undefined
  const fields = Object.entries(endpoint.reply.properties).filter(([, { type }]) => type === 'boolean')
  return {
    /** Name of the pin in the path, and in the journal's alerts. */
    pinName: parameter,
    /** Flags of the reply, with their descriptions. */
    flags: Object.fromEntries(fields.map(([name, { description = name }]) => [name, description])),
    pathOf: (slot: number, pin: number) =>
      `${servicePath(service)}/${slot}${endpoint.path.replace(`{${parameter}}`, String(pin))}`,
  }
}

/** Flags of all module types, with their descriptions. */
export function flagsIn(catalog: ModuleCatalog): Readonly<Record<string, string>> {
  const flags = Object.values(catalog).map(({ contract }) => alertEndpointOf(contract)?.flags ?? {})
  return Object.assign({}, ...flags) as Readonly<Record<string, string>>
}
