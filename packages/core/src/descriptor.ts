/** `{major, minor, patch}` as the specification writes versions. */
export interface Version {
  readonly major: number
  readonly minor: number
  readonly patch: number
}

/** Version of Slotwire itself; the same in every package.json. */
export const SLOTWIRE_VERSION: Version = { major: 0, minor: 1, patch: 0 }

/** Slots of a device, numbered from 0; 0 is the mainboard, 1 the power module. */
export const SLOT_COUNT = 8

/** The supply rails of a device, in the order of the wire. */
export const RAILS = ['3v3', '5v0', '12v'] as const
export type Rail = (typeof RAILS)[number]

/** A field for each rail: `perRail('limit_', …)` has `limit_3v3`, `limit_5v0` and `limit_12v`. */
export function perRail<const Name extends string, Value>(name: Name, of: (rail: Rail) => Value) {
  return Object.fromEntries(RAILS.map((rail) => [name + rail, of(rail)])) as Readonly<Record<`${Name}${Rail}`, Value>>
}

/** Firmware stability: alpha, beta or stable. */
export type Stability = 'A' | 'B' | 'S'

/** A module's bootloader state, from its descriptor. */
export type BootloaderState = 'not supported' | 'supported' | 'in bootloader mode'

/** The descriptor that a module reports; spec "Device descriptor". */
export interface ModuleDescriptor {
  readonly vendorProductId: string
  readonly productName: string
  readonly vendorName: string
  /** `XXXX-…`: 8 groups of 4 upper-case hexadecimal digits. */
  readonly serialCode: string
  readonly firmware: { readonly stability: Stability; readonly version: Version }
  readonly hardwareVersion: Version
  readonly protocolVersion: Version
  readonly bootloaderState: BootloaderState
  /** Bytes. */
  readonly maxFrameSize: number
  /** Milliwatt. */
  readonly maxPower12v: number
  /** Milliwatt. */
  readonly maxPower5v0: number
  /** Milliwatt. */
  readonly maxPower3v3: number
  readonly maxSclkSpeedKhz: number
}

/** `1.2.3`. */
export function formatVersion(version: Version): string {
  return `${version.major}.${version.minor}.${version.patch}`
}
