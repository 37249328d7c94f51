// The client of each module type, by the name of its service: one line for each.
export { bmcClient as bmc } from './bmc/client.ts'
export { ioClient as io } from './io/client.ts'
export { powerClient as power } from './power/client.ts'
