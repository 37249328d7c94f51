import type { PowerSupply } from './power-budget.ts'

/** The typical readings of wire-protocol.md section 2. */
export const TYPICAL_SUPPLY: PowerSupply = {
  source_3v3: 17_671,
  source_5v0: 22_275,
  source_12v: 28_750,
  source_total: 28_750,
  efficiency_factor_3v3: 90,
  efficiency_factor_5v0: 90,
  efficiency_factor_12v: 100,
}
