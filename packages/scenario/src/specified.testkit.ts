import { catalog } from '@slotwire/device/twin'
import type { ModuleCatalog } from './catalog.ts'

const TYPES = ['bmc', 'io', 'power']

/** The module types of the specification: what a test or a page lists goes by these, whatever other types there are. */
export const specified: ModuleCatalog = Object.fromEntries(Object.entries(catalog).filter(([type]) => TYPES.includes(type)))
