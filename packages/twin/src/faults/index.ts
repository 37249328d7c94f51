import { inOrder } from '../settings/kind.ts'
import * as kinds from './kinds.ts'

export type { Fault, FaultKind, FaultTarget } from './fault.ts'
export * from './kinds.ts'
export * from './slot-faults.ts'

/** All kinds of faults by name. */
export const faultKinds = inOrder(kinds)
