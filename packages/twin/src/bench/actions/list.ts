import { ambient, computer, rail, restart, usbAttach, usbDetach, usbHost } from './device-actions.ts'
import { breakModule, clearFaults, factoryReset, fault, plug, unplug } from './slot-actions.ts'
import { connect, disconnect, press, set, short, wire } from './wiring-actions.ts'

/** Every action of the bench by its name, in the order of the page about scenarios. */
export const actionMakers = {
  connect,
  wire,
  short,
  disconnect,
  set,
  press,
  plug,
  unplug,
  ambient,
  computer,
  rail,
  usb_attach: usbAttach,
  usb_detach: usbDetach,
  usb_host: usbHost,
  fault,
  break: breakModule,
  clear_faults: clearFaults,
  factory_reset: factoryReset,
  restart,
} as const
