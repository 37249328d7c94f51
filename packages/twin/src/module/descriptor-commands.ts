import type { ModuleDescriptor, PowerDescriptor, Random } from '@slotwire/core'
import * as sdbp from '@slotwire/sdbp'
import { type CommandHandler, on } from './firmware.ts'

/** Payload bytes of a text part that are not text: command code, chaining, length, terminating NUL. */
const TEXT_OVERHEAD = 6
/** The length byte of a text part counts the NUL too. */
const MAX_TEXT_PART_BYTES = 254

type TextCommand = sdbp.Command<unknown, { readonly part: sdbp.TextPart }>

/** Returns long texts of one module in parts; a request for another text starts from its beginning. */
export class TextReader {
  #command: TextCommand | undefined
  #offset = 0

  next(command: TextCommand, whole: string, frameSize: number): { part: sdbp.TextPart } {
    if (this.#command !== command) this.#offset = 0
    this.#command = command
    const size = Math.min(sdbp.maxPayloadSize(frameSize) - TEXT_OVERHEAD, MAX_TEXT_PART_BYTES)
    const part = whole.slice(this.#offset, this.#offset + size)
    const last = this.#offset + size >= whole.length
    this.#offset = last ? 0 : this.#offset + size
    return { part: { last, text: part } }
  }
}

/** The bytes of a serial code `XXXX-XXXX-…`. */
function serialBytes(serial: string): Uint8Array {
  return Uint8Array.from(serial.replaceAll('-', '').match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
}

/** What the descriptor commands need from a module. */
interface DescribedModule {
  /** The current descriptor. */
  descriptor(): ModuleDescriptor
  readonly frameSize: number
  readonly texts: TextReader
}

function value<Response>(
  command: sdbp.Command<unknown, Response>,
  of: (from: ModuleDescriptor) => Response,
): CommandHandler<DescribedModule> {
  return on(command, (_request, module: DescribedModule) => of(module.descriptor()))
}

function text(command: TextCommand, of: (from: ModuleDescriptor) => string): CommandHandler<DescribedModule> {
  return on(command, (_request, module: DescribedModule) => module.texts.next(command, of(module.descriptor()), module.frameSize))
}

/** Commands that every module answers from its current descriptor. */
export const descriptorCommands: readonly CommandHandler<DescribedModule>[] = [
  text(sdbp.getVendorProductId, (from) => from.vendorProductId),
  text(sdbp.getVendorName, (from) => from.vendorName),
  text(sdbp.getProductName, (from) => from.productName),
  value(sdbp.getSerialCode, (from) => ({ serial: serialBytes(from.serialCode) })),
  value(sdbp.getFirmwareVersion, ({ firmware: { stability, version } }) => ({ stability, ...version })),
  value(sdbp.getHardwareVersion, (from) => from.hardwareVersion),
  value(sdbp.getProtocolVersion, (from) => from.protocolVersion),
  value(sdbp.getMaxSclkSpeed, (from) => ({ kilohertz: from.maxSclkSpeedKhz })),
  value(sdbp.getMaxFrameSize, (from) => ({ bytes: from.maxFrameSize })),
  value(sdbp.getBootloaderState, (from) => ({ state: from.bootloaderState })),
  value(sdbp.getMaxPower3v3, (from) => ({ milliwatt: from.maxPower3v3 })),
  value(sdbp.getMaxPower5v0, (from) => ({ milliwatt: from.maxPower5v0 })),
  value(sdbp.getMaxPower12v, (from) => ({ milliwatt: from.maxPower12v })),
]

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
