import type { ModuleHost } from '@slotwire/driver'
import * as hosts from '@slotwire/modules/hosts'

/** The module type that the device has its power budget from: the first that has one; undefined where none has. */
export const powerSupplier: ModuleHost | undefined = Object.values(hosts)[0]
