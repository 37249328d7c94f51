import type { Contract } from './endpoint.ts'
import { choice, decimal, integer, listOf, named, objectOf, text } from './fields.ts'
import type { ValueOf } from './schema.ts'

/** The readings that a scale can begin with, and the unit of their numbers; spec "Pin value". */
export const SCALED_READINGS = { voltage: 'mV', current: 'mA', frequency: 'Hz' } as const

/** So large that a line through two points stays finite. */
const MAX_SCALE_NUMBER = 1_000_000_000
/** A number of a scale. */
export const scaleNumber = (unit?: string) => decimal({ min: -MAX_SCALE_NUMBER, max: MAX_SCALE_NUMBER, unit })

export const MAX_NAME_CHARACTERS = 64
/** Also in bytes. */
export const MAX_UNIT_BYTES = 16

/** What the operator calls a pin, and how its reading becomes a quantity. */
export const namedPinSchema = named(
  'NamedPin',
  objectOf(
    {
      slot: integer({ min: 0, max: 7 }),
      pin: integer({ min: 1, max: 6 }),
      name: text({ max: MAX_NAME_CHARACTERS, description: 'unique within the device, in any case' }),
      unit: text({ max: MAX_UNIT_BYTES, description: 'of the quantity' }),
      from: choice(Object.keys(SCALED_READINGS) as (keyof typeof SCALED_READINGS)[], { description: 'reading that is scaled' }),
      scale: listOf(listOf(scaleNumber(), { count: 2 }), {
        count: 2,
        description: 'two points of a line: the reading in mV, mA or Hz, and the quantity',
      }),
    },
    { optional: ['unit', 'from', 'scale'] },
  ),
)
export type NamedPin = ValueOf<typeof namedPinSchema>

/** The named pins of the module in a slot. Modules of other types have no pins. */
export function pinsAt(pins: readonly NamedPin[], { endpoints }: Contract, slot: number): readonly NamedPin[] {
  const hasPins = Object.values(endpoints).some(({ parameters }) => parameters?.['pin'] !== undefined)
  return hasPins ? pins.filter((pin) => pin.slot === slot) : []
}
