import { type Contract, servicePath } from '@slotwire/contract'
import type { FirmwareDefinition } from '@slotwire/twin'

/** What a scenario needs to know of a module type: its virtual module, and the contract of its service. */
export interface CatalogEntry {
  readonly firmware: FirmwareDefinition
  readonly contract: Contract
}

/** The module types that can be plugged, by the name of their service: `io`. */
export type ModuleCatalog = Readonly<Record<string, CatalogEntry>>

/** How the service of a module type hands out what happened at a pin. */
export interface Delivery {
  /** What may have happened: names of the flags in the reply, with their meanings. */
  readonly flags: Readonly<Record<string, string>>
  readonly pathOf: (slot: number, pin: number) => string
}

/** The endpoint that delivers, with one number in its path: that of the pin. Undefined: nothing can happen at this type's pins. */
export function deliveryOf({ service, endpoints }: Contract): Delivery | undefined {
  const endpoint = Object.values(endpoints).find(({ effect }) => effect === 'deliver')
  const [parameter, second] = Object.keys(endpoint?.parameters ?? {})
  if (endpoint?.reply.type !== 'object' || parameter === undefined || second !== undefined) return undefined
  const fields = Object.entries(endpoint.reply.properties).filter(([, { type }]) => type === 'boolean')
  return {
    flags: Object.fromEntries(fields.map(([name, { description = name }]) => [name, description])),
    pathOf: (slot, pin) => `${servicePath(service)}/${slot}${endpoint.path.replace(`{${parameter}}`, String(pin))}`,
  }
}

/** Flags of all module types, with their meanings. */
export function flagsIn(catalog: ModuleCatalog): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.values(catalog).flatMap(({ contract }) => Object.entries(deliveryOf(contract)?.flags ?? {})))
}
