import type { Random } from '@slotwire/core'

const GROUPS = 8

/** A serial code `XXXX-…` of 8 groups of 4 hexadecimal digits, the slot first: the same slot and random sequence give the same code. */
export function serialCode(slot: number, random: Random): string {
  const groups = [slot]
  while (groups.length < GROUPS) groups.push(Math.floor(random() * 0x10000))
  return groups.map((group) => group.toString(16).toUpperCase().padStart(4, '0')).join('-')
}
