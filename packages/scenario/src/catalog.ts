import type { Contract } from '@slotwire/contract'
import type { FirmwareDefinition } from '@slotwire/twin'

/** What a scenario needs to know of a module type: its virtual module, and the contract of its service. */
export interface CatalogEntry {
  readonly firmware: FirmwareDefinition
  readonly contract: Contract
}

/** The module types that can be plugged, by the name of their service: `io`. */
export type ModuleCatalog = Readonly<Record<string, CatalogEntry>>
