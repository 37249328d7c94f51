import { choice, formed, integer, listOf, named, notValue, text } from '@slotwire/contract'
import { coreErrors, SLOT_COUNT } from '@slotwire/core'
import { type ModuleTypes, maxPins } from '../../module/firmware.ts'
import type { Bench } from '../bench.ts'
import type { BenchSlot } from '../bench-slot.ts'
import { benchErrors } from '../errors.ts'

/** Names that users choose: no digit first, so that none looks like a pin. */
const NAME = '[A-Za-z_\\u00c0-\\u024f\\u0370-\\u1fff\\u3040-\\ud7ff][\\w\\u00c0-\\u024f\\u0370-\\u1fff\\u3040-\\ud7ff-]{0,63}'
const SLOTS = `[0-${SLOT_COUNT - 1}]`

const pinPattern = (types: ModuleTypes): string => {
  const pins = Array.from({ length: Math.max(1, maxPins(Object.values(types))) }, (_, index) => index + 1)
  return `${SLOTS}/(${pins.join('|')})`
}

/** Titles of the fields whose text names something: readers of text look at them. */
export const PIN = 'Pin'
export const SLOT = 'SlotNumber'
export const PLACE = 'Place'
export const FAULTS = 'Faults'

export const slotField = named(SLOT, integer({ min: 0, max: SLOT_COUNT - 1, description: 'the slot' }))

export const pinField = (types: ModuleTypes, description = 'the pin') =>
  named(PIN, formed(`^${pinPattern(types)}$`, 'a pin as slot/pin, as in 3/1', { description }))

/** Two different pins. */
export const twoPins = (types: ModuleTypes, description: string) => listOf(pinField(types), { count: 2, description })

/** A pin, or a connection by its name. */
export const placeField = (types: ModuleTypes, description: string) =>
  named(PLACE, formed(`^(${pinPattern(types)}|${NAME})$`, 'a pin as slot/pin, or the name of a connection', { description }))

export const nameText = formed(`^${NAME}$`, 'a name: letters, digits, - and _, at most 64')

/** Name for later actions. */
export const nameField = (what: 'connection' | 'fault') => ({
  ...nameText,
  description: `name of the ${what} for later actions; default ${what[0]}1, ${what[0]}2, …. A name that another one has goes to the new one`,
})

export const faultsField = named(
  FAULTS,
  formed(`^(all|${SLOTS}|${NAME})$`, 'all, a slot, or the name of a fault', {
    description: 'whose faults: all, a slot, or the name of a fault',
  }),
)

export const madeReply = (what: string) => ({ name: text({ description: `name of the ${what}` }) })

/** One of these names; any text if the list is empty. */
export const nameIn = (names: readonly string[], description: string) =>
  names.length === 0 ? text({ description }) : choice([...new Set(names)], { description })

/** The slot with its module. Throws `slotEmpty` for an empty slot. */
export function occupied(bench: Bench, slot: number): BenchSlot {
  const benchSlot = bench.slot(slot)
  if (benchSlot.moduleType === undefined) throw benchErrors.slotEmpty({ slot })
  return benchSlot
}

/** Throws `invalidField` for a name that this module does not have. */
export function checkName(field: string, name: string, allowed: readonly string[]): void {
  if (allowed.includes(name)) return
  const remedy = allowed.length === 0 ? 'the module in this slot has none' : `${allowed.join(', ')}${notValue(name)}`
  throw coreErrors.invalidField({ reason: `${field} is not allowed: ${remedy}` })
}
