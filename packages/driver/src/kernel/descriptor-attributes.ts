import {
  type BootloaderState,
  LinkError,
  type ModuleDescriptor,
  type PowerDescriptor,
  perRail,
  type Stability,
} from '@slotwire/core'
import { parseVersion } from './attribute.ts'

/** The attributes in a slot's folder that form its descriptor, in the order of reading. */
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
/** The attributes that the power budget needs, in the order of reading. */
export const POWER_ATTRIBUTES = [
  'vendor_product_id',
  'max_power_3v3',
  'max_power_5v0',
  'max_power_12v',
] as const satisfies readonly Attribute[]

const SERIAL_CODE = /^[0-9A-F]{4}(-[0-9A-F]{4}){7}$/
const FIRMWARE = /^([ABS])\.(.*)$/
/** `00001.00012.00000`: every part is decimal, with any number of leading zeros. */
const VERSION = /^(\d{1,5})\.(\d{1,5})\.(\d{1,5})$/
const DECIMAL = /^\d{1,10}$/
const bootloaderStates: ReadonlyMap<string, BootloaderState> = new Map([
  ['0', 'not supported'],
  ['1', 'supported'],
  ['2', 'in bootloader mode'],
])
const stabilities: readonly Stability[] = ['A', 'B', 'S']

/**
 * Makes a descriptor from the values of `DESCRIPTOR_ATTRIBUTES` (wire-protocol.md section 3). Throws `LinkError` that names an invalid
 * attribute.
 */
export function descriptorOf(slot: number, values: readonly string[]): ModuleDescriptor {
  const attributes = valuesOf(slot, DESCRIPTOR_ATTRIBUTES, values)
  const [, stability = '', firmware = ''] = FIRMWARE.exec(attributes.text('fw_version')) ?? []
  return {
    ...powerIn(attributes),
    vendorName: attributes.text('vendor_name'),
    productName: attributes.text('product_name'),
    serialCode: attributes.checked('serial_code', SERIAL_CODE.exec(attributes.text('serial_code').toUpperCase())?.[0]),
    firmware: {
      stability: attributes.checked(
        'fw_version',
        stabilities.find((each) => each === stability),
      ),
      version: attributes.checked('fw_version', parseVersion(VERSION.exec(firmware))),
    },
    hardwareVersion: attributes.version('hw_version'),
    protocolVersion: attributes.version('protocol_version'),
    bootloaderState: attributes.checked('bootloader_state', bootloaderStates.get(attributes.text('bootloader_state'))),
    maxFrameSize: attributes.number('max_frame_size'),
    maxSclkSpeedKhz: attributes.number('max_sclk_speed'),
  }
}

/** As `descriptorOf`, from the values of `POWER_ATTRIBUTES`. */
export function powerDescriptorOf(slot: number, values: readonly string[]): PowerDescriptor {
  return powerIn(valuesOf(slot, POWER_ATTRIBUTES, values))
}

function powerIn(attributes: ReturnType<typeof valuesOf>): PowerDescriptor {
  return {
    vendorProductId: attributes.checked('vendor_product_id', attributes.text('vendor_product_id') || undefined),
    ...perRail('maxPower', (rail) => attributes.number(`max_power_${rail}`)),
  }
}

/** Accessors for the values of a slot's attributes. They throw `LinkError` for an invalid value. */
function valuesOf(slot: number, names: readonly Attribute[], values: readonly string[]) {
  const text = (name: Attribute): string => values[names.indexOf(name)] ?? ''
  /** Returns the parsed value of an attribute; undefined means that the text is invalid. */
  const checked = <Result>(name: Attribute, result: Result | undefined): Result => {
    if (result !== undefined) return result
    const read = JSON.stringify(text(name).slice(0, 80))
    throw new LinkError('transfer-failed', `slot ${slot}: ${name} reads ${read}, which is invalid`)
  }
  return {
    text,
    checked,
    number: (name: Attribute) => checked(name, DECIMAL.test(text(name)) ? Number(text(name)) : undefined),
    version: (name: Attribute) => checked(name, parseVersion(VERSION.exec(text(name)))),
  }
}
