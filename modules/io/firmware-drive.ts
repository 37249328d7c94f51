import { Steady } from '@slotwire/twin'
import type { PwmTiming } from './circuit.ts'
import { highLeg, lowLeg, pwmBranch, railElectrics } from './circuit.ts'
import type { Drive } from './firmware-drive-faults.ts'
import type { PinPower, Rail } from './wire.ts'

/** What a pin is told to put out. */
export type Signal =
  | { readonly mode: 'output'; readonly level: 'high' | 'low' }
  | { readonly mode: 'pwm'; readonly timing: PwmTiming; readonly startMs: number }

/** The signal in terms of the circuit, from the pin's rail as it is now. */
export function driveOf(signal: Signal, power: PinPower, railVolts: (rail: Rail) => number): Drive {
  const high = highLeg(power.rail, railVolts(power.rail))
  const level = new Steady(signal.mode === 'output' && signal.level === 'low' ? lowLeg : high)
  return {
    branch: signal.mode === 'pwm' ? pwmBranch(signal.timing, signal.startMs, high) : level,
    high,
    limitAmps: power.currentMilliampere / 1000,
    minimumVolts: railElectrics[power.rail].minimumVolts,
  }
}
