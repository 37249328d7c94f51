import { formatVersion, type ModuleDescriptor } from '@slotwire/core'

/** The firmware generation that this driver supports; wire-protocol.md section 3. */
export const FIRMWARE_MAJOR = 1
/** Protocol generations from this one on are not supported. */
export const UNKNOWN_PROTOCOL_MAJOR = 2
/** Slowest bus clock that may be set, in kilohertz. */
export const MIN_SCLK_KHZ = 100
/** Fastest bus clock that is set, in kilohertz, even if a module allows more: two and a half times what known modules allow. */
export const MAX_SCLK_KHZ = 50_000
/** Lowest valid `max_sclk_speed` of a descriptor, in kilohertz. */
export const MIN_MAX_SCLK_KHZ = 16_000
/** Bounds of a descriptor's `max_frame_size`, in bytes: every transfer moves at least 64. */
export const MIN_MAX_FRAME_SIZE = 64
export const MAX_MAX_FRAME_SIZE = 65_535
/** Highest valid `max_power_*` of a descriptor, in milliwatt. */
export const MAX_MAX_POWER_MW = 65_535

/**
 * Why a module with this descriptor is not driven, with each field and its bound; undefined if it is within wire-protocol.md section 2. A
 * high `max_sclk_speed` is valid: the clock that is set has its own bound.
 */
export function descriptorFault(descriptor: ModuleDescriptor): string | undefined {
  const { protocolVersion, firmware, maxSclkSpeedKhz, maxFrameSize, maxPower3v3, maxPower5v0, maxPower12v } = descriptor
  const faults: string[] = []
  if (protocolVersion.major >= UNKNOWN_PROTOCOL_MAJOR) {
    const supported = `major versions below ${UNKNOWN_PROTOCOL_MAJOR} are`
    faults.push(`protocol_version ${formatVersion(protocolVersion)} is not supported: ${supported}`)
  }
  if (firmware.version.major !== FIRMWARE_MAJOR) {
    faults.push(`fw_version ${formatVersion(firmware.version)} is not supported: major version ${FIRMWARE_MAJOR} is`)
  }
  const figure = (name: string, value: number, least: number, most: number, unit: string): void => {
    if (value >= least && value <= most) return
    const bounds = most === Number.POSITIVE_INFINITY ? `at least ${least}` : `${least}…${most}`
    faults.push(`${name} ${value} is out of range: ${bounds} ${unit}`)
  }
  figure('max_sclk_speed', maxSclkSpeedKhz, MIN_MAX_SCLK_KHZ, Number.POSITIVE_INFINITY, 'kHz')
  figure('max_frame_size', maxFrameSize, MIN_MAX_FRAME_SIZE, MAX_MAX_FRAME_SIZE, 'bytes')
  figure('max_power_3v3', maxPower3v3, 0, MAX_MAX_POWER_MW, 'mW')
  figure('max_power_5v0', maxPower5v0, 0, MAX_MAX_POWER_MW, 'mW')
  figure('max_power_12v', maxPower12v, 0, MAX_MAX_POWER_MW, 'mW')
  return faults.length === 0 ? undefined : faults.join('; ')
}
