import { catalog } from '@slotwire/device/twin'
import type { ModuleCatalog } from './catalog.ts'

const TYPES = ['bmc', 'io', 'power']

/** Module types of the specification, for tests and pages that list them. */
export const specified: ModuleCatalog = Object.fromEntries(Object.entries(catalog).filter(([type]) => TYPES.includes(type)))
