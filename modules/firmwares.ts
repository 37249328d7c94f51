// The virtual modules, by the name of their service: one line for each.
export { bmcFirmware as bmc } from './bmc/firmware.ts'
export { ioFirmware as io } from './io/firmware.ts'
export { powerFirmware as power } from './power/firmware.ts'
