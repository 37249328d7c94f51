import { RAILS, type Rail } from '@slotwire/core'
import type { Rails } from '@slotwire/twin'
import { INITIAL_LIMITS, powerLimits } from './limits.ts'

/** The power that the supply can provide, in mW, and the efficiency of its converters in percent; wire-protocol.md "Typical readings". */
export const SOURCE = {
  source_3v3: 17_671,
  source_5v0: 22_275,
  source_12v: 28_750,
  source_total: 28_750,
  efficiency_factor_3v3: 90,
  efficiency_factor_5v0: 90,
  efficiency_factor_12v: 100,
} as const

/** Voltage limits of the rails in mV; beyond them the over or under voltage protection acts. Spec "Power module resources". */
export const VOLTAGE_LIMITS: Readonly<Record<Rail, { readonly min: number; readonly max: number }>> = {
  '3v3': { min: 3240, max: 3440 },
  '5v0': { min: 4608, max: 5202 },
  '12v': { min: 11_300, max: 12_770 },
}

/** Voltage without load in mV, and its sag in mV per mA. It stays inside the limits at any load that the converters can carry. */
export const CONVERTERS: Readonly<
  Record<Rail, { readonly millivolt: number; readonly sag: number; readonly efficiency: number }>
> = {
  '3v3': { millivolt: 3320, sag: 0.006, efficiency: SOURCE.efficiency_factor_3v3 / 100 },
  '5v0': { millivolt: 5150, sag: 0.03, efficiency: SOURCE.efficiency_factor_5v0 / 100 },
  '12v': { millivolt: 12_050, sag: 0.05, efficiency: SOURCE.efficiency_factor_12v / 100 },
}

/** The three converters. Their readings follow from the draw of the slots. */
export class Supply {
  #limits: Readonly<Record<`limit_${Rail}`, number>> = INITIAL_LIMITS

  constructor(readonly rails: Rails) {}

  /** Limit of a rail in mA. */
  limit(rail: Rail): number {
    return this.#limits[`limit_${rail}`]
  }

  /** Sets the limit in mA if it is within the rail's bounds; otherwise the old one stays. Spec "Power service" rule 1. */
  setLimit(rail: Rail, milliampere: number): boolean {
    const { min, max } = powerLimits[`limit_${rail}`]
    if (milliampere < min || milliampere > max) return false
    this.#limits = { ...this.#limits, [`limit_${rail}`]: milliampere }
    return true
  }

  resetLimits(): void {
    this.#limits = INITIAL_LIMITS
  }

  /** The current of a rail in mA, including the converter's dissipation: draw × (2 − efficiency). */
  milliampere(rail: Rail): number {
    return this.rails.current(rail) * (2 - CONVERTERS[rail].efficiency)
  }

  /** Voltage of a rail in mV; 0 while it is off. */
  millivolt(rail: Rail): number {
    if (!this.rails.isOn(rail)) return 0
    const { millivolt, sag } = CONVERTERS[rail]
    return Math.max(0, millivolt - sag * this.milliampere(rail) + this.rails.voltageOffset(rail))
  }

  /** Power of all rails in mW, dissipation included. */
  totalMilliwatt(): number {
    return RAILS.reduce((sum, rail) => sum + (this.millivolt(rail) * this.milliampere(rail)) / 1000, 0)
  }

  /** The part of the power that heats the converters, in W. */
  dissipationWatt(): number {
    const milliwatt = RAILS.reduce((sum, rail) => {
      return sum + (this.millivolt(rail) * this.rails.current(rail) * (1 - CONVERTERS[rail].efficiency)) / 1000
    }, 0)
    return milliwatt / 1000
  }
}
