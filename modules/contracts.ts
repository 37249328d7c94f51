import type { Contract } from '@slotwire/contract'
import { bmcContract } from './bmc/contract.ts'
import { ioContract } from './io/contract.ts'
import { powerContract } from './power/contract.ts'

/** Every module type's contract, one line each. */
export const contracts: readonly Contract[] = [
  ioContract,
  bmcContract,
  powerContract,
]
