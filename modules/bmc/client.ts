import { defineClient } from '@slotwire/client'
import { bmcContract } from './contract.ts'

/** A mainboard: its calls as the contract has them. */
export const bmcClient = defineClient(bmcContract, () => ({}))
