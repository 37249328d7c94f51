import type { ModuleDescriptor, Version } from '@slotwire/core'
import type { Command, TextPart } from '@slotwire/sdbp'
import {
  getBootloaderState,
  getFirmwareVersion,
  getHardwareVersion,
  getMaxFrameSize,
  getMaxPower3v3,
  getMaxPower5v0,
  getMaxPower12v,
  getMaxSclkSpeed,
  getProductName,
  getProtocolVersion,
  getSerialCode,
  getVendorName,
  getVendorProductId,
  maxPayloadSize,
} from '@slotwire/sdbp'
import type { CommandHandler } from './firmware.ts'
import { on } from './firmware.ts'

/** Payload bytes of a text part that are not text: command code, chaining, length, terminating NUL. */
const TEXT_OVERHEAD = 6
/** The length byte of a text part counts the NUL too. */
const LONGEST_TEXT_PART = 254

type TextCommand = Command<unknown, { readonly part: TextPart }>

/** Gives long texts piece by piece; asking for another text starts that one from its beginning. */
class TextReader {
  #command: TextCommand | undefined
  #offset = 0

  next(command: TextCommand, text: string, frameSize: number): { part: TextPart } {
    if (this.#command !== command) this.#offset = 0
    this.#command = command
    const size = Math.min(maxPayloadSize(frameSize) - TEXT_OVERHEAD, LONGEST_TEXT_PART)
    const part = text.slice(this.#offset, this.#offset + size)
    const last = this.#offset + size >= text.length
    this.#offset = last ? 0 : this.#offset + size
    return { part: { last, text: part } }
  }
}

/** The bytes of `XXXX-XXXX-…`. */
function serialBytes(serialCode: string): Uint8Array {
  return Uint8Array.from(serialCode.replaceAll('-', '').match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
}

/** What every module answers about itself, from its descriptor as it is at that moment. */
export function descriptorHandlers(descriptor: () => ModuleDescriptor, frameSize: () => number): readonly CommandHandler[] {
  const reader = new TextReader()
  const text = (command: TextCommand, of: (from: ModuleDescriptor) => string): CommandHandler =>
    on(command, () => reader.next(command, of(descriptor()), frameSize()))
  const version = (command: Command<unknown, Version>, of: (from: ModuleDescriptor) => Version): CommandHandler =>
    on(command, () => of(descriptor()))
  return [
    text(getVendorProductId, (from) => from.vendorProductId),
    text(getVendorName, (from) => from.vendorName),
    text(getProductName, (from) => from.productName),
    on(getSerialCode, () => ({ serial: serialBytes(descriptor().serialCode) })),
    on(getFirmwareVersion, () => ({ stability: descriptor().firmware.stability, ...descriptor().firmware.version })),
    version(getHardwareVersion, (from) => from.hardwareVersion),
    version(getProtocolVersion, (from) => from.protocolVersion),
    on(getMaxSclkSpeed, () => ({ kilohertz: descriptor().maxSclkSpeedKhz })),
    on(getMaxFrameSize, () => ({ bytes: descriptor().maxFrameSize })),
    on(getBootloaderState, () => ({ state: descriptor().bootloaderState })),
    on(getMaxPower3v3, () => ({ milliwatt: descriptor().maxPower3v3 })),
    on(getMaxPower5v0, () => ({ milliwatt: descriptor().maxPower5v0 })),
    on(getMaxPower12v, () => ({ milliwatt: descriptor().maxPower12v })),
  ]
}
