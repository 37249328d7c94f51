import { choice, notValue, text } from '@slotwire/contract'
import { coreErrors } from '@slotwire/core'
import type { Bench } from '../bench.ts'
import type { BenchSlot } from '../bench-slot.ts'
import { benchErrors } from '../errors.ts'

/** One of these names; any text if the list is empty. */
export const nameIn = (names: readonly string[], description: string) =>
  names.length === 0 ? text({ description }) : choice([...new Set(names)], { description })

/** The slot with its module. Throws `slotEmpty` for an empty slot. */
export function occupied(bench: Bench, slot: number): BenchSlot {
  const found = bench.slot(slot)
  if (found.moduleType === undefined) throw benchErrors.slotEmpty({ slot })
  return found
}

/** Throws `invalidField` for a name that this module does not have. */
export function checkName(field: string, name: string, allowed: readonly string[]): void {
  if (allowed.includes(name)) return
  const remedy = allowed.length === 0 ? 'the module in this slot has none' : `${allowed.join(', ')}${notValue(name)}`
  throw coreErrors.invalidField({ reason: `${field} is not allowed: ${remedy}` })
}
