import type { ModuleDescriptor, Random } from '@slotwire/core'

const FIRST_VERSION = { major: 1, minor: 0, patch: 0 } as const

/** What virtual modules have in common. */
const COMMON = {
  vendorName: 'Slotwire',
  firmware: { stability: 'S', version: FIRST_VERSION },
  hardwareVersion: FIRST_VERSION,
  protocolVersion: FIRST_VERSION,
  bootloaderState: 'supported',
  maxFrameSize: 1024,
  maxSclkSpeedKhz: 20_000,
} as const satisfies Partial<ModuleDescriptor>

/** What a module type has of its own; power in milliwatt. */
export type OwnDescriptor = Pick<
  ModuleDescriptor,
  'vendorProductId' | 'productName' | 'maxPower3v3' | 'maxPower5v0' | 'maxPower12v'
>

/** The descriptor of a virtual module; its serial code follows from slot and seed. */
export function virtualDescriptor(
  module: { readonly slot: number; readonly random: Random },
  own: OwnDescriptor,
): ModuleDescriptor {
  return { ...COMMON, ...own, serialCode: serialCode(module.slot, module.random) }
}

const GROUPS = 8

/** A serial code `XXXX-…` of 8 groups of 4 hexadecimal digits, the slot first: the same slot and random sequence give the same code. */
function serialCode(slot: number, random: Random): string {
  const groups = [slot]
  while (groups.length < GROUPS) groups.push(Math.floor(random() * 0x10000))
  return groups.map((group) => group.toString(16).toUpperCase().padStart(4, '0')).join('-')
}
