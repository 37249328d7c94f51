import { type BootloaderState, LinkError, type ModuleDescriptor, type PowerDescriptor, type Stability } from '@slotwire/core'
import { versionIn } from './attribute.ts'

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
/** Those of them that the power budget is made of, in the order in which they are read. */
export const POWER_ATTRIBUTES = [
  'vendor_product_id',
  'max_power_3v3',
  'max_power_5v0',
  'max_power_12v',
] as const satisfies readonly Attribute[]

const SERIAL_CODE = /^[0-9A-F]{4}(-[0-9A-F]{4}){7}$/
const FIRMWARE = /^([ABS])\.(.*)$/
/** `00001.00012.00000`: every part in decimal, however many zeros are in front. */
const VERSION = /^(\d{1,5})\.(\d{1,5})\.(\d{1,5})$/
const DECIMAL = /^\d{1,10}$/
const bootloaderStates: ReadonlyMap<string, BootloaderState> = new Map([
  ['0', 'not supported'],
  ['1', 'supported'],
  ['2', 'in bootloader mode'],
])
const stabilities: ReadonlyMap<string, Stability> = new Map([
  ['A', 'A'],
  ['B', 'B'],
  ['S', 'S'],
])

/** Makes a descriptor of the attributes' values (wire-protocol.md section 3). Throws `LinkError` with the attribute that makes no sense. */
export function descriptorOf(slot: number, values: readonly string[]): ModuleDescriptor {
  const found = valuesOf(slot, DESCRIPTOR_ATTRIBUTES, values)
  const [, stability = '', firmware = ''] = FIRMWARE.exec(found.text('fw_version')) ?? []
  return {
    ...powerIn(found),
    vendorName: found.text('vendor_name'),
    productName: found.text('product_name'),
    serialCode: found.checked('serial_code', SERIAL_CODE.exec(found.text('serial_code').toUpperCase())?.[0]),
    firmware: {
      stability: found.checked('fw_version', stabilities.get(stability)),
      version: found.checked('fw_version', versionIn(VERSION.exec(firmware))),
    },
    hardwareVersion: found.version('hw_version'),
    protocolVersion: found.version('protocol_version'),
    bootloaderState: found.checked('bootloader_state', bootloaderStates.get(found.text('bootloader_state'))),
    maxFrameSize: found.number('max_frame_size'),
    maxSclkSpeedKhz: found.number('max_sclk_speed'),
  }
}

/** As `descriptorOf`, of the values of `POWER_ATTRIBUTES`. */
export function powerDescriptorOf(slot: number, values: readonly string[]): PowerDescriptor {
  return powerIn(valuesOf(slot, POWER_ATTRIBUTES, values))
}

function powerIn(found: ReturnType<typeof valuesOf>): PowerDescriptor {
  return {
    vendorProductId: found.checked('vendor_product_id', found.text('vendor_product_id') || undefined),
    maxPower3v3: found.number('max_power_3v3'),
    maxPower5v0: found.number('max_power_5v0'),
    maxPower12v: found.number('max_power_12v'),
  }
}

/** Values of a slot's attributes, as what they mean. Throws `LinkError` for one that makes no sense. */
function valuesOf(slot: number, names: readonly Attribute[], values: readonly string[]) {
  const text = (name: Attribute): string => values[names.indexOf(name)] ?? ''
  /** What was made of an attribute; undefined makes no sense. */
  const checked = <Result>(name: Attribute, result: Result | undefined): Result => {
    if (result !== undefined) return result
    const read = JSON.stringify(text(name).slice(0, 80))
    throw new LinkError('transfer-failed', `slot ${slot}: ${name} reads ${read}, which makes no sense`)
  }
  return {
    text,
    checked,
    number: (name: Attribute) => checked(name, DECIMAL.test(text(name)) ? Number(text(name)) : undefined),
    version: (name: Attribute) => checked(name, versionIn(VERSION.exec(text(name)))),
  }
}
