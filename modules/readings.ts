// The metrics of each module type, by the name of its service: one line for each.
export { bmcReadings as bmc } from './bmc/readings.ts'
export { ioReadings as io } from './io/readings.ts'
export { powerReadings as power } from './power/readings.ts'
