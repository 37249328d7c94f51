import { HUB_PORT_OF_SLOT } from '@slotwire/modules/bmc/firmware-usb'
import * as firmwares from '@slotwire/modules/firmwares'
import { type Bench, type Chassis, createBench } from '@slotwire/twin'

/** The bench around a virtual device: every module type there is can be plugged, and USB devices hang on the ports of slots. */
export function benchOf(chassis: Chassis): Bench {
  return createBench({ chassis, moduleTypes: { ...firmwares }, usbPorts: usbPorts() })
}

/** Number of the hub port of each slot that has one. */
function usbPorts(): Readonly<Record<number, number>> {
  return Object.fromEntries(HUB_PORT_OF_SLOT.flatMap((port, slot) => (port === 0 ? [] : [[slot, port]])))
}
