import type { ModuleDescriptor, Random } from '@slotwire/core'
import { serialCode } from './serial-code.ts'

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
