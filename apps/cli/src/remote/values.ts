import { decimal, readQuantity } from '@slotwire/contract'
import { InvalidArgumentError } from 'commander'
import { valueOf } from '../run/option-values.ts'

/** A slot, or a pin of the module in it: `3`, `3/1`. */
export interface Target {
  readonly slot: number
  readonly pin: number
}

/** `3/1`: pin 1 of the module in slot 3. */
export function pinTarget(text: string): Target {
  const [, slot, pin] = /^(\d)\/(\d)$/.exec(text) ?? []
  if (slot === undefined) throw new InvalidArgumentError('write slot and pin, as in 3/1.')
  return { slot: Number(slot), pin: Number(pin) }
}

/** Several pins. */
export function pinTargets(text: string, before: readonly Target[] = []): readonly Target[] {
  return [...before, pinTarget(text)]
}

/** A slot, as in `3`. */
export function slotNumber(text: string): number {
  if (/^\d$/.test(text)) return Number(text)
  throw new InvalidArgumentError('write the number of a slot, as in 3.')
}

/** Several slots. */
export function slotNumbers(text: string, before: readonly number[] = []): readonly number[] {
  return [...before, slotNumber(text)]
}

/** A number with a unit or without one, in `unit`: `1.5V` is 1500 in mV. Throws `InvalidArgumentError`. */
export const quantity = (text: string, unit: string): number => valueOf('the value', decimal({ unit }), text)

const LONGEST_MS = 86_400_000

/** A duration in milliseconds: `250ms`, `10s`. */
export function duration(text: string): number {
  const ms = /[a-z]/.test(text) ? readQuantity(text, 'ms') : undefined
  if (ms !== undefined && ms > 0 && ms <= LONGEST_MS) return ms
  throw new InvalidArgumentError('write a duration of at most 24h, as in 250ms, 10s or 5m.')
}

/** A part of a whole: `25%` or `0.25`. */
export function share(text: string): number {
  const value = readQuantity(text, '')
  if (value !== undefined && value >= 0 && value < 1) return value
  throw new InvalidArgumentError('write a part of the time, as in 25% or 0.25, less than all of it.')
}

/** Supply of a pin: `5V/50mA`. */
export interface PinPowerText {
  readonly rail: '5_volt' | '12_volt'
  readonly current_milliampere: number
}

const RAILS: Readonly<Record<string, PinPowerText['rail']>> = { '5V': '5_volt', '12V': '12_volt' }

/** `5V/50mA` or `12V/0.1A`. */
export function pinPower(text: string): PinPowerText {
  const [, rail = '', current = ''] = /^([^/]+)\/([^/]+)$/.exec(text) ?? []
  const named = RAILS[rail.toUpperCase()]
  if (named === undefined) throw new InvalidArgumentError('write rail and current, as in 5V/50mA or 12V/100mA.')
  return { rail: named, current_milliampere: quantity(current, 'mA') }
}
