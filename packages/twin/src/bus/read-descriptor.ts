import type { ModuleDescriptor } from '@slotwire/core'
import * as sdbp from '@slotwire/sdbp'

/** Gives up on a text that does not end within this many parts. */
const MAX_TEXT_PARTS = 64

/** Sends one payload and resolves with the response payload. */
export type RawExchange = (payload: Uint8Array) => Promise<Uint8Array>

/** Reads a whole descriptor over the bus. Rejects with the error of `exchange` or with `SdbpError`. */
export async function readDescriptor(exchange: RawExchange): Promise<ModuleDescriptor> {
  const ask = async <Response>(command: sdbp.Command<Record<never, never>, Response>): Promise<Response> =>
    sdbp.decodeResponse(command, await exchange(sdbp.encodeRequest(command, {})))
  const text = async (command: sdbp.Command<Record<never, never>, { readonly part: sdbp.TextPart }>): Promise<string> => {
    let whole = ''
    for (let count = 0; count < MAX_TEXT_PARTS; count++) {
      const { part } = await ask(command)
      whole += part.text
      if (part.last) return whole
    }
    throw new sdbp.SdbpError('length', `${command.name} does not end after ${MAX_TEXT_PARTS} parts`)
  }
  const vendorProductId = await text(sdbp.getVendorProductId)
  const vendorName = await text(sdbp.getVendorName)
  const productName = await text(sdbp.getProductName)
  const { serial } = await ask(sdbp.getSerialCode)
  const { stability, ...version } = await ask(sdbp.getFirmwareVersion)
  return {
    vendorProductId,
    vendorName,
    productName,
    serialCode: formatSerial(serial),
    firmware: { stability, version },
    hardwareVersion: await ask(sdbp.getHardwareVersion),
    protocolVersion: await ask(sdbp.getProtocolVersion),
    bootloaderState: (await ask(sdbp.getBootloaderState)).state,
    maxFrameSize: (await ask(sdbp.getMaxFrameSize)).bytes,
    maxPower3v3: (await ask(sdbp.getMaxPower3v3)).milliwatt,
    maxPower5v0: (await ask(sdbp.getMaxPower5v0)).milliwatt,
    maxPower12v: (await ask(sdbp.getMaxPower12v)).milliwatt,
    maxSclkSpeedKhz: (await ask(sdbp.getMaxSclkSpeed)).kilohertz,
  }
}

/** Formats 16 bytes as 8 groups of 4 upper-case hexadecimal digits. */
function formatSerial(serial: Uint8Array): string {
  const digits = [...serial].map((byte) => byte.toString(16).padStart(2, '0').toUpperCase()).join('')
  return digits.match(/.{4}/g)?.join('-') ?? ''
}
