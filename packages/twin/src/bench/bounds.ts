import type { NumberField } from '../settings/field.ts'

export const RAIL_LOAD_MILLIAMPERE: NumberField = {
  type: 'number',
  meaning: 'what somebody draws from it beside the modules',
  unit: 'mA',
  min: 0,
  max: 20_000,
}
export const RAIL_OFFSET_MILLIVOLT: NumberField = {
  type: 'number',
  meaning: 'how far a fault of the supply moves its voltage',
  unit: 'mV',
  min: -15_000,
  max: 15_000,
}
export const AMBIENT_CELSIUS: NumberField = {
  type: 'number',
  meaning: 'temperature around the device',
  unit: '°C',
  min: -40,
  max: 125,
}
export const COMPUTER_WATT: NumberField = {
  type: 'number',
  meaning: 'heat that the computer of the device gives off',
  unit: 'W',
  min: 0,
  max: 50,
}
/** Longest text of a USB device: what fits into a string descriptor. */
export const MOST_USB_CHARACTERS = 126
