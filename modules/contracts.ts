// The HTTP contract of each module type, by the name of its service: one line for each.
export { bmcContract as bmc } from './bmc/contract.ts'
export { ioContract as io } from './io/contract.ts'
export { powerContract as power } from './power/contract.ts'
