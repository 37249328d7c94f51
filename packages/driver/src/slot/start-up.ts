import { formatVersion, type Log, type ModuleDescriptor } from '@slotwire/core'
import { getFirmwareVersion, ModuleRefusal, modeRun, modeSuspend, setSclkSpeed, updateDescriptor } from '@slotwire/sdbp'
import { FIRMWARE_MAJOR, MAX_SCLK_KHZ, MIN_SCLK_KHZ } from './descriptor-bounds.ts'
import type { Exchange, Job } from './slot-api.ts'

/** The firmware of the module is of an unsupported generation. */
export class FirmwareNotSupported extends Error {
  override readonly name = 'FirmwareNotSupported'
}

/** The bus clock to set: the lowest of the module's maximum (checked by `descriptorFault`), the cap and `MAX_SCLK_KHZ`. */
export function sclkSpeedFor(maxSclkSpeedKhz: number, capKhz = Number.POSITIVE_INFINITY): number {
  return Math.max(MIN_SCLK_KHZ, Math.min(maxSclkSpeedKhz, Math.floor(capKhz), MAX_SCLK_KHZ))
}

export interface StartUpOptions {
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
