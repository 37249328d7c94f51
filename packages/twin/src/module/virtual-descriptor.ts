import type { ModuleDescriptor, PowerDescriptor, Random } from '@slotwire/core'

const FIRST_VERSION = { major: 1, minor: 0, patch: 0 } as const

/** Descriptor fields that all virtual modules share. */
const COMMON = {
  vendorName: 'Slotwire',
  firmware: { stability: 'S', version: FIRST_VERSION },
  hardwareVersion: FIRST_VERSION,
  protocolVersion: FIRST_VERSION,
  bootloaderState: 'supported',
  maxFrameSize: 1024,
  maxSclkSpeedKhz: 20_000,
} as const satisfies Partial<ModuleDescriptor>

/** Descriptor fields of a module type; power in milliwatt. */
export type OwnDescriptor = PowerDescriptor & Pick<ModuleDescriptor, 'productName'>

/** The descriptor of a virtual module; its serial code depends on slot and seed. */
export function virtualDescriptor(
  module: { readonly slot: number; readonly random: Random },
  own: OwnDescriptor,
): ModuleDescriptor {
  return { ...COMMON, ...own, serialCode: serialCode(module.slot, module.random) }
}

const GROUPS = 8

/** A serial code `XXXX-…` of 8 groups of 4 hexadecimal digits, the slot first. It depends on the slot and the random sequence only. */
function serialCode(slot: number, random: Random): string {
  const groups = [slot]
  while (groups.length < GROUPS) groups.push(Math.floor(random() * 0x10000))
  return groups.map((group) => group.toString(16).toUpperCase().padStart(4, '0')).join('-')
}
