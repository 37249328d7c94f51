import type { ModuleDescriptor } from '@slotwire/core'
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
import { type ModuleCommand, onModule } from './operation-table.ts'

/** Payload bytes of a text part that are not text: command code, chaining, length, terminating NUL. */
const TEXT_OVERHEAD = 6
/** The length byte of a text part counts the NUL too. */
const LONGEST_TEXT_PART = 254

type TextCommand = Command<unknown, { readonly part: TextPart }>

/** Returns long texts of one module in parts; a request for another text starts from its beginning. */
export class TextReader {
  #command: TextCommand | undefined
  #offset = 0

  next(command: TextCommand, whole: string, frameSize: number): { part: TextPart } {
    if (this.#command !== command) this.#offset = 0
    this.#command = command
    const size = Math.min(maxPayloadSize(frameSize) - TEXT_OVERHEAD, LONGEST_TEXT_PART)
    const part = whole.slice(this.#offset, this.#offset + size)
    const last = this.#offset + size >= whole.length
    this.#offset = last ? 0 : this.#offset + size
    return { part: { last, text: part } }
  }
}

/** The bytes of a serial code `XXXX-XXXX-…`. */
function serialBytes(serialCode: string): Uint8Array {
  return Uint8Array.from(serialCode.replaceAll('-', '').match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
}

/** What the descriptor commands need from a module. */
export interface DescribedModule {
  /** The current descriptor. */
  descriptor(): ModuleDescriptor
  readonly frameSize: number
  readonly texts: TextReader
}

function asked<Response>(
  command: Command<unknown, Response>,
  of: (from: ModuleDescriptor) => Response,
): ModuleCommand<DescribedModule> {
  return onModule(command, (_request, module: DescribedModule) => of(module.descriptor()))
}

function text(command: TextCommand, of: (from: ModuleDescriptor) => string): ModuleCommand<DescribedModule> {
  return onModule(command, (_request, module: DescribedModule) =>
    module.texts.next(command, of(module.descriptor()), module.frameSize),
  )
}

/** Commands that every module answers from its current descriptor. */
export const descriptorCommands: readonly ModuleCommand<DescribedModule>[] = [
  text(getVendorProductId, (from) => from.vendorProductId),
  text(getVendorName, (from) => from.vendorName),
  text(getProductName, (from) => from.productName),
  asked(getSerialCode, (from) => ({ serial: serialBytes(from.serialCode) })),
  asked(getFirmwareVersion, ({ firmware: { stability, version } }) => ({ stability, ...version })),
  asked(getHardwareVersion, (from) => from.hardwareVersion),
  asked(getProtocolVersion, (from) => from.protocolVersion),
  asked(getMaxSclkSpeed, (from) => ({ kilohertz: from.maxSclkSpeedKhz })),
  asked(getMaxFrameSize, (from) => ({ bytes: from.maxFrameSize })),
  asked(getBootloaderState, (from) => ({ state: from.bootloaderState })),
  asked(getMaxPower3v3, (from) => ({ milliwatt: from.maxPower3v3 })),
  asked(getMaxPower5v0, (from) => ({ milliwatt: from.maxPower5v0 })),
  asked(getMaxPower12v, (from) => ({ milliwatt: from.maxPower12v })),
]
