import { decimal, duration as durationType, integer, pinPlace, wordOf } from '@slotwire/contract'
import { SLOT_COUNT } from '@slotwire/core'
import { InvalidArgumentError } from 'commander'
import { word } from '../terminal/word.ts'

/** A slot, or a pin of the module in it: `3`, `3/1`. */
export interface Target {
  readonly slot: number
  readonly pin: number
}

const pinWord = word('pin', pinPlace)

/** `3/1`: pin 1 of the module in slot 3. */
export function pinTarget(text: string): Target {
  const [slot = 0, pin = 0] = pinWord(text).split('/').map(Number)
  return { slot, pin }
}

/** A pin as in `3/1`, or by its name, which has a letter. */
export type NamedTarget = Target | string
export const namedTarget = (text: string): NamedTarget => (/\p{L}/u.test(text) ? text : pinTarget(text))

/** A slot, as in `3`. */
export const slotNumber = word('slot', wordOf(integer({ min: 0, max: SLOT_COUNT - 1 })))

/** A number with a unit or without one, in `unit`: `1.5V` is 1500 in mV. */
export const quantity = (name: string, unit: string): ((text: string) => number) => word(name, wordOf(decimal({ unit })))

const MAX_DURATION_MS = 86_400_000

/** A time in milliseconds: `250ms`, `10s`. */
export const duration = (name: string, min = 1): ((text: string) => number) =>
  word(name, durationType(decimal({ unit: 'ms', min, max: MAX_DURATION_MS, range: `${min} ms to 24 h` })))

/** A part of a whole: `25%` or `0.25`. */
export const share = (name: string): ((text: string) => number) => word(name, wordOf(decimal({ min: 0, max: 1 })))

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
  return { rail: named, current_milliampere: quantity('current', 'mA')(current) }
}
