import { formatVersion, type ModuleDescriptor } from '@slotwire/core'

/** The firmware generation that this driver speaks to; wire-protocol.md section 3. */
export const FIRMWARE_MAJOR = 1
/** Protocol generations from this one on are not known. */
export const UNKNOWN_PROTOCOL_MAJOR = 2
/** Slowest bus clock that may be set, in kilohertz. */
export const MIN_SCLK_KHZ = 100
/** Fastest bus clock that is set, in kilohertz, whatever a module says of itself: twice and a half what modules are known to take. */
export const MAX_SCLK_KHZ = 50_000
/** Least that a descriptor's `max_sclk_speed` may be, in kilohertz. */
export const MIN_MAX_SCLK_KHZ = 16_000
/** Bounds of a descriptor's `max_frame_size`, in bytes: every transfer moves at least 64. */
export const MIN_MAX_FRAME_SIZE = 64
export const MAX_MAX_FRAME_SIZE = 65_535
/** Most that a descriptor's `max_power_*` may be, in milliwatt. */
export const MAX_MAX_POWER_MW = 65_535

/**
 * Why a module with such a descriptor is not driven, naming each field and its bound; undefined: it keeps to wire-protocol.md section 2. A
 * `max_sclk_speed` that is too fast is no fault: the clock that is set has its own bound.
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
