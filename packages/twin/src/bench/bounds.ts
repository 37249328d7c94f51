import { decimal, text } from '@slotwire/contract'

const between = (min: number, max: number, unit: string, description: string) => decimal({ min, max, unit, description })

export const railFields = {
  load_milliampere: between(0, 20_000, 'mA', 'extra load on the rail, in addition to the modules'),
  offset_millivolt: between(-15_000, 15_000, 'mV', 'voltage offset caused by a fault of the supply'),
}
export const AMBIENT_CELSIUS = between(-40, 125, '°C', 'temperature around the device')
export const COMPUTER_WATT = between(0, 50, 'W', "heat output of the device's computer")
/** Longest text of a USB device: the size of a string descriptor. */
export const USB_TEXT = text({ max: 126 })
