import {
  type Clock,
  formatVersion,
  type Log,
  type ModuleDescriptor,
  messageOf,
  RAILS,
  type SlotLink,
  withDeadline,
} from '@slotwire/core'
import { getFirmwareVersion, ModuleRefusal, modeRun, modeSuspend, setSclkSpeed, updateDescriptor } from '@slotwire/sdbp'
import type { Exchange, Job } from './slot-api.ts'

/** The firmware of the module is of an unsupported generation. */
export class FirmwareNotSupported extends Error {
  override readonly name = 'FirmwareNotSupported'
}

/** The bus clock to set: the lowest of the module's maximum (checked by `descriptorFault`), the cap and `MAX_SCLK_KHZ`. */
export function sclkSpeedFor(maxSclkSpeedKhz: number, capKhz = Number.POSITIVE_INFINITY): number {
  return Math.max(MIN_SCLK_KHZ, Math.min(maxSclkSpeedKhz, Math.floor(capKhz), MAX_SCLK_KHZ))
}

interface StartUpOptions {
  readonly slot: number
  readonly descriptor: ModuleDescriptor
  readonly sclkCapKhz?: number | undefined
  readonly log: Log
}

/** Brings a module into its initial state and runs it; wire-protocol.md section 3. */
export const restartModule: Job<void> = async (exchange) => {
  await exchange(modeSuspend, {})
  await exchange(updateDescriptor, {})
  await exchange(modeRun, {})
}

/** Checks the firmware, raises the bus clock and starts the module in its initial state. Throws `FirmwareNotSupported`, or what an exchange throws. */
export async function startModule(exchange: Exchange, options: StartUpOptions): Promise<void> {
  const version = await exchange(getFirmwareVersion, {})
  if (version.major !== FIRMWARE_MAJOR) {
    throw new FirmwareNotSupported(`firmware ${formatVersion(version)} is not supported: major version ${FIRMWARE_MAJOR} is`)
  }
  await raiseSclk(exchange, options)
  // The module may have kept its state: the last frames to it may have been lost.
  await restartModule(exchange)
}

/** A module that refuses the speed keeps its old one: slower, but it works. */
async function raiseSclk(exchange: Exchange, { slot, descriptor, sclkCapKhz, log }: StartUpOptions): Promise<void> {
  const kilohertz = sclkSpeedFor(descriptor.maxSclkSpeedKhz, sclkCapKhz)
  try {
    await exchange(setSclkSpeed, { kilohertz })
  } catch (error) {
    if (!(error instanceof ModuleRefusal)) throw error
    log.warn({ slot, kilohertz, status: error.status }, 'the module refused the bus clock, keeping the old one')
  }
}

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
  const { protocolVersion, firmware, maxSclkSpeedKhz, maxFrameSize } = descriptor
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
  for (const rail of RAILS) figure(`max_power_${rail}`, descriptor[`maxPower${rail}`], 0, MAX_MAX_POWER_MW, 'mW')
  return faults.length === 0 ? undefined : faults.join('; ')
}

/**
 * Longest wait for a link to close when the driver stops, in milliseconds. Together with the time for running requests (`closeMs` of the
 * service) it stays below the two seconds in which everything ends.
 */
export const CLOSE_DEADLINE_MS = 400

/** The same while the driver runs. The kernel takes 560 ms for a module that left or does not answer, and closes one after the other on a bus. */
export const SLOW_CLOSE_DEADLINE_MS = 2500

/** Closes a link. Never rejects or hangs, as callers could do nothing about it; failures are logged, but not those of a stop. */
export async function closeLink(link: SlotLink, clock: Clock, log: Log, isStopping = false): Promise<void> {
  try {
    await withDeadline(clock, isStopping ? CLOSE_DEADLINE_MS : SLOW_CLOSE_DEADLINE_MS, link.close(), 'not closed')
  } catch (error) {
    const reason = messageOf(error)
    log[isStopping ? 'debug' : 'warn']({ slot: link.slot, reason }, 'the link could not be closed')
  }
}
