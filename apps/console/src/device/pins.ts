import { isRecord } from '@slotwire/core'
import * as clients from '@slotwire/modules/clients'

export const pinModes = ['analog', 'digital', 'output', 'pwm', 'unknown'] as const
export type PinMode = (typeof pinModes)[number]

const { min, max } = clients.io.contract.endpoints.getNotification.parameters.pin

export const pinNumbers: readonly number[] = Array.from({ length: max - min + 1 }, (_, index) => min + index)

/** Modes of the pins as the module acknowledged them, by number; docs/guide/events.md, “The state”. */
export function modesIn({ pins }: Readonly<Record<string, unknown>>): ReadonlyMap<number, PinMode> {
  const known = Array.isArray(pins) ? pins.filter(isRecord) : []
  return new Map(known.map(({ pin, mode }) => [Number(pin), pinModes.find((each) => each === mode) ?? 'unknown']))
}
