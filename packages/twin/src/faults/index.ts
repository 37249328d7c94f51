export type { Fault, FaultKind, FaultTarget } from './fault.ts'
export { faultFrom, faultKinds } from './fault-kinds.ts'
export * from './kinds.ts'
export * from './slot-faults.ts'
