import type { NumberField } from '../settings/field.ts'

export const RAIL_LOAD_MILLIAMPERE: NumberField = {
  type: 'number',
  meaning: 'extra load on the rail, in addition to the modules',
  unit: 'mA',
  min: 0,
  max: 20_000,
}
export const RAIL_OFFSET_MILLIVOLT: NumberField = {
  type: 'number',
  meaning: 'voltage offset caused by a fault of the supply',
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
  meaning: "heat output of the device's computer",
  unit: 'W',
  min: 0,
  max: 50,
}
/** Longest text of a USB device: the size of a string descriptor. */
export const MAX_USB_CHARACTERS = 126
