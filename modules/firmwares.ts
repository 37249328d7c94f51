import { bmcFirmware } from './bmc/firmware.ts'
import { ioFirmware } from './io/firmware.ts'
import { powerFirmware } from './power/firmware.ts'

/** The virtual modules, by the name of their service. */
export const firmwares = {
  io: ioFirmware,
  bmc: bmcFirmware,
  power: powerFirmware,
} as const
