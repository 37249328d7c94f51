import { type BootloaderState, LinkError, type ModuleDescriptor, type Stability, type Version } from '@slotwire/core'

/** The attributes of a slot's folder that make its descriptor, in the order in which they are read. */
export const DESCRIPTOR_ATTRIBUTES = [
  'vendor_product_id',
  'vendor_name',
  'product_name',
  'serial_code',
  'fw_version',
  'hw_version',
  'protocol_version',
  'bootloader_state',
  'max_frame_size',
  'max_sclk_speed',
  'max_power_3v3',
  'max_power_5v0',
  'max_power_12v',
] as const
type Attribute = (typeof DESCRIPTOR_ATTRIBUTES)[number]

const SERIAL_CODE = /^[0-9A-F]{4}(-[0-9A-F]{4}){7}$/
const FIRMWARE = /^([ABS])\.(.*)$/
const VERSION = /^(\d{1,5})\.(\d{1,5})\.(\d{1,5})$/
const DECIMAL = /^\d{1,10}$/
const bootloaderStates: Readonly<Record<string, BootloaderState>> = {
  0: 'not supported',
  1: 'supported',
  2: 'in bootloader mode',
}
const stabilities: Readonly<Record<string, Stability>> = { A: 'A', B: 'B', S: 'S' }

/** Makes a descriptor of the attributes' values (wire-protocol.md section 3). Throws `LinkError` with the attribute that makes no sense. */
export function descriptorOf(slot: number, values: readonly string[]): ModuleDescriptor {
  const value = (name: Attribute): string => values[DESCRIPTOR_ATTRIBUTES.indexOf(name)] ?? ''
  const invalid = (name: Attribute): LinkError =>
    new LinkError(
      'transfer-failed',
      `slot ${slot}: ${name} reads ${JSON.stringify(value(name).slice(0, 80))}, which makes no sense`,
    )
  const checked = <Result>(name: Attribute, result: Result | undefined): Result => {
    if (result === undefined) throw invalid(name)
    return result
  }
  const number = (name: Attribute): number => checked(name, DECIMAL.test(value(name)) ? Number(value(name)) : undefined)
  const version = (name: Attribute): Version => checked(name, versionOf(value(name)))
  const [, stability = '', firmware = ''] = FIRMWARE.exec(value('fw_version')) ?? []
  return {
    vendorProductId: checked('vendor_product_id', value('vendor_product_id') || undefined),
    vendorName: value('vendor_name'),
    productName: value('product_name'),
    serialCode: checked('serial_code', SERIAL_CODE.exec(value('serial_code').toUpperCase())?.[0]),
    firmware: {
      stability: checked('fw_version', stabilities[stability]),
      version: checked('fw_version', versionOf(firmware)),
    },
    hardwareVersion: version('hw_version'),
    protocolVersion: version('protocol_version'),
    bootloaderState: checked('bootloader_state', bootloaderStates[value('bootloader_state')]),
    maxFrameSize: number('max_frame_size'),
    maxSclkSpeedKhz: number('max_sclk_speed'),
    maxPower3v3: number('max_power_3v3'),
    maxPower5v0: number('max_power_5v0'),
    maxPower12v: number('max_power_12v'),
  }
}

/** `00001.00012.00000`: every part in decimal, however many zeros are in front. */
function versionOf(text: string): Version | undefined {
  const parts = VERSION.exec(text)
  return parts === null ? undefined : { major: Number(parts[1]), minor: Number(parts[2]), patch: Number(parts[3]) }
}
