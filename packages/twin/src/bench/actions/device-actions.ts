import { boolean, choice, objectOf } from '@slotwire/contract'
import { RAILS } from '@slotwire/core'
import { AMBIENT_CELSIUS as celsius, railFields, USB_TEXT, COMPUTER_WATT as watt } from '../bounds.ts'
import { defineAction } from './action.ts'
import { slotField } from './fields.ts'

const identity = { manufacturer: 'Slotwire', product: 'Virtual USB device', serial_code: 'VUD-0001' }
const usbText = (name: keyof typeof identity) => ({
  ...USB_TEXT,
  description: `text of the device; default ${identity[name]}`,
  default: identity[name],
})

const port = { ...slotField, description: 'slot of the USB port' }

/** Surroundings of the device. */
export const deviceActions = {
  ambient: defineAction({
    summary: 'Sets the ambient temperature',
    body: objectOf({ celsius }, { rules: { 'x-alone': 'celsius' } }),
    example: { celsius: 40 },
    errors: [],
    run: (bench, values) => {
      bench.ambientCelsius = values.celsius
    },
  }),
  computer: defineAction({
    summary: "Sets the heat output of the device's computer",
    body: objectOf({ watt }, { rules: { 'x-alone': 'watt' } }),
    example: { watt: 5 },
    errors: [],
    run: (bench, values) => {
      bench.computerWatt = values.watt
    },
  }),
  rail: defineAction({
    summary: 'Sets the extra load or the voltage offset of a supply rail; omitted fields stay unchanged',
    body: objectOf(
      { rail: choice(RAILS, { description: 'the rail' }), ...railFields },
      {
        optional: ['load_milliampere', 'offset_millivolt'],
        rules: { anyOf: [{ required: ['load_milliampere'] }, { required: ['offset_millivolt'] }] },
      },
    ),
    example: { rail: '12v', load_milliampere: 500 },
    errors: [],
    run: (bench, { rail: name, load_milliampere: load, offset_millivolt: offset }) => {
      const benchRail = bench.rail(name)
      if (load !== undefined) benchRail.loadMilliampere = load
      if (offset !== undefined) benchRail.offsetMillivolt = offset
    },
  }),
  usb_attach: defineAction({
    summary: 'Attaches a USB device to the port of a slot',
    body: objectOf(
      {
        slot: port,
        manufacturer: usbText('manufacturer'),
        product: usbText('product'),
        serial_code: usbText('serial_code'),
      },
      { optional: ['manufacturer', 'product', 'serial_code'], rules: { 'x-alone': 'slot' } },
    ),
    example: { slot: 5, product: 'Label printer', serial_code: 'LP-0042' },
    errors: [],
    run: (bench, { slot, ...texts }) => {
      const { manufacturer, product, serial_code: serialCode } = { ...identity, ...texts }
      bench.usb.attach(slot, { manufacturer, product, serialCode })
    },
  }),
  usb_detach: defineAction({
    summary: 'Detaches the USB device of a slot',
    body: objectOf({ slot: port }, { rules: { 'x-alone': 'slot' } }),
    example: { slot: 4 },
    errors: [],
    run: (bench, { slot }) => bench.usb.detach(slot),
  }),
  usb_host: defineAction({
    summary: "Connects a USB host to the device's own port, or disconnects it; the device's bootloader waits for it",
    body: objectOf({ connected: boolean({ description: 'whether it is connected' }) }, { rules: { 'x-alone': 'connected' } }),
    example: { connected: true },
    errors: [],
    run: (bench, { connected }) => {
      bench.usb.hostConnected = connected
    },
  }),
}
