import { defineClient } from '@slotwire/client'
import { powerContract } from './contract.ts'

/** A power supply: its calls as the contract has them. */
export const powerClient = defineClient(powerContract, () => ({}))
