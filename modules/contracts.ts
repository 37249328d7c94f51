import { bmcContract } from './bmc/contract.ts'
import { ioContract } from './io/contract.ts'
import { powerContract } from './power/contract.ts'

/** What each module type offers over HTTP, by the name of its service. */
export const contracts = {
  io: ioContract,
  bmc: bmcContract,
  power: powerContract,
} as const
