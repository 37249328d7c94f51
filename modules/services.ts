// The endpoint handlers of each module type, by the name of its service: one line for each.
export { bmcService as bmc } from './bmc/service.ts'
export { ioService as io } from './io/service.ts'
export { powerService as power } from './power/service.ts'
