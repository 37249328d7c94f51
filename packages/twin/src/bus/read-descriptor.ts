import type { ModuleDescriptor } from '@slotwire/core'
import type { Command, TextPart } from '@slotwire/sdbp'
import {
  decodeResponse,
  encodeRequest,
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
  SdbpError,
} from '@slotwire/sdbp'

/** Gives up on a text that does not end within this many parts. */
const MAX_TEXT_PARTS = 64

/** Sends one payload and resolves with the response payload. */
export type RawExchange = (payload: Uint8Array) => Promise<Uint8Array>

/** Reads a whole descriptor over the bus. Rejects with the error of `exchange` or with `SdbpError`. */
export async function readDescriptor(exchange: RawExchange): Promise<ModuleDescriptor> {
  const ask = async <Response>(command: Command<Record<never, never>, Response>): Promise<Response> =>
    decodeResponse(command, await exchange(encodeRequest(command, {})))
  const text = async (command: Command<Record<never, never>, { readonly part: TextPart }>): Promise<string> => {
    let whole = ''
    for (let count = 0; count < MAX_TEXT_PARTS; count++) {
      const { part } = await ask(command)
      whole += part.text
      if (part.last) return whole
    }
    throw new SdbpError('length', `${command.name} does not end after ${MAX_TEXT_PARTS} parts`)
  }
  const vendorProductId = await text(getVendorProductId)
  const vendorName = await text(getVendorName)
  const productName = await text(getProductName)
  const { serial } = await ask(getSerialCode)
  const { stability, ...version } = await ask(getFirmwareVersion)
  return {
    vendorProductId,
    vendorName,
    productName,
    serialCode: formatSerial(serial),
    firmware: { stability, version },
    hardwareVersion: await ask(getHardwareVersion),
    protocolVersion: await ask(getProtocolVersion),
    bootloaderState: (await ask(getBootloaderState)).state,
    maxFrameSize: (await ask(getMaxFrameSize)).bytes,
    maxPower3v3: (await ask(getMaxPower3v3)).milliwatt,
    maxPower5v0: (await ask(getMaxPower5v0)).milliwatt,
    maxPower12v: (await ask(getMaxPower12v)).milliwatt,
    maxSclkSpeedKhz: (await ask(getMaxSclkSpeed)).kilohertz,
  }
}

/** Formats 16 bytes as 8 groups of 4 upper-case hexadecimal digits. */
function formatSerial(serial: Uint8Array): string {
  const digits = [...serial].map((byte) => byte.toString(16).padStart(2, '0').toUpperCase()).join('')
  return digits.match(/.{4}/g)?.join('-') ?? ''
}
