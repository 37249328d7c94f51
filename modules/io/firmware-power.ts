import { Refusal } from '@slotwire/twin'
import type { PinRail } from './circuit.ts'
import { ioLimits } from './limits.ts'
import { PowerStatus } from './wire.ts'

/** One pin of a power configuration. */
export interface PinPower {
  readonly rail: PinRail
  readonly currentMilliampere: number
}

/** All pins, pin 1 first; spec "Power configuration". */
export type PowerConfig = readonly PinPower[]

/** Milliwatt that a module with a configuration may take from the 5 V and the 12 V rail; wire-protocol.md section 4. */
export interface PowerNeed {
  readonly power5v0: number
  readonly power12v: number
}

const OVERHEAD_5_VOLT_PIN_MILLIWATT = 200
const OVERHEAD_12_VOLT_PIN_MILLIWATT = 400

/** Refuses a current that its rail does not have. */
export function checkPowerConfig(config: PowerConfig): void {
  for (const { rail, currentMilliampere } of config) {
    if (currentMilliampere > ioLimits.currentMilliampere[rail].max) throw new Refusal(PowerStatus.invalidValue)
  }
}

/** The formula as it is written: a pin with 0 mA keeps its overhead. Nothing is needed without a configuration. */
export function powerNeed(config: PowerConfig | undefined): PowerNeed {
  let power5v0 = 0
  let power12v = 0
  for (const { rail, currentMilliampere } of config ?? []) {
    if (rail === '5_volt') power5v0 += currentMilliampere * 5 + OVERHEAD_5_VOLT_PIN_MILLIWATT
    else {
      power5v0 += OVERHEAD_12_VOLT_PIN_MILLIWATT
      power12v += currentMilliampere * 12
    }
  }
  return { power5v0, power12v }
}
