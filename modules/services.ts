import { bmcService } from './bmc/service.ts'
import { ioService } from './io/service.ts'
import { powerService } from './power/service.ts'

/** What each module type does for its endpoints, by the name of its service. */
export const services = {
  io: ioService,
  bmc: bmcService,
  power: powerService,
} as const
