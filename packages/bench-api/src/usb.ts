import { boolean, type ExtensionEndpoints, integer, listOf, objectOf, text } from '@slotwire/contract'
import { type CheckedExtensionHandlers, extensionHandlers } from '@slotwire/service'
import { MOST_USB_CHARACTERS, SLOT_COUNT } from '@slotwire/twin'
import { type BenchedDevice, does, looks, ROOT, success } from './bench-endpoint.ts'
import { benchErrors } from './errors.ts'
import { refusedAsState } from './refusals.ts'

const slot = integer({ min: 0, max: SLOT_COUNT - 1, description: 'the slot whose USB port it is' })
const identity = {
  manufacturer: text({ max: MOST_USB_CHARACTERS }),
  product: text({ max: MOST_USB_CHARACTERS }),
  serial_code: text({ max: MOST_USB_CHARACTERS }),
}

/** The USB connectors as the bench shows them. */
export const usbSchema = objectOf({
  host_connected: boolean({ description: 'whether a host is on the port of the computer, which its bootloader waits for' }),
  devices: listOf(objectOf({ slot, ...identity })),
})

export const usbEndpoints = {
  getUsb: { ...looks, path: `${ROOT}/usb`, reply: usbSchema, summary: 'Lists what hangs on the USB ports' },
  attachUsb: {
    ...does,
    path: `${ROOT}/usb/attach`,
    body: objectOf({ slot, ...identity }),
    errors: [benchErrors.refused],
    summary: 'Attaches a USB device to the port of a slot',
    example: { slot: 5, manufacturer: 'Example', product: 'Label printer', serial_code: 'LP-0042' },
  },
  detachUsb: {
    ...does,
    path: `${ROOT}/usb/detach`,
    body: objectOf({ slot }),
    errors: [benchErrors.refused],
    summary: 'Takes the USB device of a slot away',
    example: { slot: 4 },
  },
  setUsbHost: {
    ...does,
    path: `${ROOT}/usb/host`,
    body: objectOf({ connected: boolean() }),
    summary: 'Connects a USB host to the computer of the device, or takes it away',
    example: { connected: true },
  },
} as const satisfies ExtensionEndpoints

export function usbHandlers(device: BenchedDevice): CheckedExtensionHandlers {
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

export function shownUsb(device: BenchedDevice) {
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
