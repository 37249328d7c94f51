import type { ModuleHost } from '@slotwire/driver'
import * as hosts from '@slotwire/modules/hosts'

/** Module type that provides the power budget: the first host part; undefined without one. */
export const powerSupplier: ModuleHost | undefined = Object.values(hosts)[0]
