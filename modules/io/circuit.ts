import type { Rail } from '@slotwire/core'
import { alternate, type Band, type Rails, type Source, Steady, type Thevenin } from '@slotwire/twin'
import { ioLimits, type PinPower, type PinRail, PWM_CLOCK_HZ } from './limits.ts'

/** Electrics of a pin on a rail; twin.md "io pins". */
export interface RailElectrics {
  /** The device's rail. */
  readonly supply: Rail
  /** Volts of a high output without load. */
  readonly openVolts: number
  /** Lowest voltage of a high output, at its full current. */
  readonly minimumVolts: number
}

export const railElectrics: Readonly<Record<PinRail, RailElectrics>> = {
  '5_volt': { supply: '5v0', openVolts: 5.15, minimumVolts: 4.2 },
  '12_volt': { supply: '12v', openVolts: 12.05, minimumVolts: 10.5 },
}

const INPUT_OHMS = 1_000_000
const SINK_OHMS = 1
const MS_PER_SECOND = 1000

/** The electrical model of an input. */
export const inputBranch: Source = new Steady({ volts: 0, ohms: INPUT_OHMS })
/** A low output. */
export const lowStage: Thevenin = { volts: 0, ohms: SINK_OHMS }

/** A high output on a rail that has `railVolts` now. It falls from `openVolts` to the rail's minimum at full current. */
export function highStage(rail: PinRail, railVolts: number): Thevenin {
  const { openVolts, minimumVolts } = railElectrics[rail]
  const ohms = (openVolts - minimumVolts) / (ioLimits.currentMilliampere[rail].max / 1000)
  return { volts: railVolts, ohms }
}

/**
 * The voltage that a rail provides to the pins: `openVolts` plus the rail's fault; 0 while it is off. The sag is in the driver's
 * resistance.
 */
export function railVoltsOf(rail: PinRail, rails: Rails): number {
  const { supply, openVolts } = railElectrics[rail]
  return rails.isOn(supply) ? Math.max(0, openVolts + rails.voltageOffset(supply) / 1000) : 0
}

/** Settings of the pwm timer; spec IO rule 5. */
export interface PwmTiming {
  readonly prescaler: number
  readonly timeOn: number
  readonly period: number
}

/** High for `timeOn` of each `period` ticks, starting at `startMs`. With `timeOn` 0 the pin stays high, as in the hardware. */
export function pwmBranch(timing: PwmTiming, startMs: number, high: Thevenin): Source {
  const tickMs = (MS_PER_SECOND * (timing.prescaler + 1)) / PWM_CLOCK_HZ
  if (timing.timeOn === 0) return new Steady(high)
  return alternate({ startMs, periodMs: timing.period * tickMs, highMs: timing.timeOn * tickMs }, high, lowStage)
}

/** The output signal of a pin. */
export type Signal =
  | { readonly mode: 'output'; readonly level: 'high' | 'low' }
  | { readonly mode: 'pwm'; readonly timing: PwmTiming; readonly startMs: number }

/** The drive of a pin and its limits. */
export interface Drive {
  readonly branch: Source
  readonly high: Thevenin
  readonly limitAmps: number
  readonly minimumVolts: number
}

/** The circuit model of a signal, with the current voltage of the pin's rail. */
export function driveOf(signal: Signal, power: PinPower, railVolts: (rail: PinRail) => number): Drive {
  const high = highStage(power.rail, railVolts(power.rail))
  const level = new Steady(signal.mode === 'output' && signal.level === 'low' ? lowStage : high)
  return {
    branch: signal.mode === 'pwm' ? pwmBranch(signal.timing, signal.startMs, high) : level,
    high,
    limitAmps: power.current_milliampere / 1000,
    minimumVolts: railElectrics[power.rail].minimumVolts,
  }
}

const THRESHOLD_HYSTERESIS_VOLTS = 0.02

/** A threshold fires when the voltage crosses it, and again only after the voltage went back by the hysteresis. */
export function thresholdBand(millivolt: number, trigger: 'rising' | 'falling'): Band {
  const volts = millivolt / 1000
  return trigger === 'rising'
    ? { lowVolts: volts - THRESHOLD_HYSTERESIS_VOLTS, highVolts: volts }
    : { lowVolts: volts, highVolts: volts + THRESHOLD_HYSTERESIS_VOLTS }
}

/** A pin with more external voltage than this is not driven. */
export const EXTERNAL_VOLTS = 0.5
/** Most that a driven pin may be above its rail. */
export const ABOVE_RAIL_VOLTS = 0.5
/** Top of the measuring range; a higher voltage raises an alert in every mode. */
export const MEASURING_RANGE_VOLTS = 25
/** Loss in the switching transistors, in mA; included in every current reading while driving. */
export const SWITCHING_LOSS_MILLIAMPERE = { output: 2, pwm: 4 } as const

const MILLIVOLT_STEP = 10
const MAX_CURRENT_READING = 65_535

/** A voltage as the module reports it: 10 mV steps, 0…25 V. */
export function millivoltReading(volts: number): number {
  const millivolt = Math.round((volts * 1000) / MILLIVOLT_STEP) * MILLIVOLT_STEP
  return Math.min(Math.max(millivolt, 0), MEASURING_RANGE_VOLTS * 1000)
}

/** A current as the module reports it: its amount in 1 mA steps, in either direction. */
export function milliampereReading(amps: number, lossMilliampere: number): number {
  return Math.min(Math.round(Math.abs(amps) * 1000 + lossMilliampere), MAX_CURRENT_READING)
}
