import { boolean, type ExtensionEndpoints, integer, listOf, named, objectOf, text } from '@slotwire/contract'
import { type CheckedExtensionHandlers, extensionHandlers } from '@slotwire/service'
import { MAX_USB_CHARACTERS, SLOT_COUNT } from '@slotwire/twin'
import { benchRead, benchWrite, type DeviceWithBench, ROOT, success } from './bench-endpoint.ts'
import { benchErrors } from './errors.ts'
import { refusedAsState } from './refusals.ts'

const slot = integer({ min: 0, max: SLOT_COUNT - 1, description: 'slot of the USB port' })
const identity = {
  manufacturer: text({ max: MAX_USB_CHARACTERS }),
  product: text({ max: MAX_USB_CHARACTERS }),
  serial_code: text({ max: MAX_USB_CHARACTERS }),
}

/** The USB connectors in replies. */
export const usbSchema = named(
  'Usb',
  objectOf({
    host_connected: boolean({ description: 'whether a USB host is connected to the computer; its bootloader waits for it' }),
    devices: listOf(named('PluggedUsbDevice', objectOf({ slot, ...identity }))),
  }),
)

export const usbEndpoints = {
  getUsb: { ...benchRead, path: `${ROOT}/usb`, reply: usbSchema, summary: 'Lists the devices on the USB ports' },
  attachUsb: {
    ...benchWrite,
    path: `${ROOT}/usb/attach`,
    body: objectOf({ slot, ...identity }),
    errors: [benchErrors.refused],
    summary: 'Attaches a USB device to the port of a slot',
    example: { slot: 5, manufacturer: 'Example', product: 'Label printer', serial_code: 'LP-0042' },
  },
  detachUsb: {
    ...benchWrite,
    path: `${ROOT}/usb/detach`,
    body: objectOf({ slot }),
    errors: [benchErrors.refused],
    summary: 'Detaches the USB device of a slot',
    example: { slot: 4 },
  },
  setUsbHost: {
    ...benchWrite,
    path: `${ROOT}/usb/host`,
    body: objectOf({ connected: boolean() }),
    summary: "Connects a USB host to the device's computer, or disconnects it",
    example: { connected: true },
  },
} as const satisfies ExtensionEndpoints

export function usbHandlers(device: DeviceWithBench): CheckedExtensionHandlers {
  return extensionHandlers(usbEndpoints, {
    getUsb: () => shownUsb(device),
    attachUsb: ({ body: { slot: at, manufacturer, product, serial_code: serialCode } }) => {
      refusedAsState(() => device.bench.usb.attach(at, { manufacturer, product, serialCode }))
      return success
    },
    detachUsb: ({ body }) => {
      refusedAsState(() => device.bench.usb.detach(body.slot))
      return success
    },
    setUsbHost: ({ body }) => {
      device.bench.usb.hostConnected = body.connected
      return success
    },
  })
}

export function shownUsb(device: DeviceWithBench) {
  const { hostConnected, devices } = device.bench.usb
  return {
    host_connected: hostConnected,
    devices: devices.map(({ slot: at, device: { manufacturer, product, serialCode } }) => ({
      slot: at,
      manufacturer,
      product,
      serial_code: serialCode,
    })),
  }
}
