import type { HostDevice, HostDeviceQuery } from '@slotwire/core'
import type { HubState } from './wire.ts'

/** The results of GET_HUB_STATE, GET_USB_SLOT_STATE and GET_PORT_MAPPING by slot; port 0 without USB. */
export interface UsbPorts {
  readonly hub: HubState
  readonly states: readonly HubState[]
  readonly ports: readonly number[]
}

/** A device behind the hub on a port of bus 1: `1-1.4`, and `1-1.4.2` behind another hub there. Interfaces have a `:`. */
const BEHIND_HUB = /^1-\d+\.(\d+)(\.\d+)*$/
/** The devices behind the USB hub; wire-protocol.md section 2, "bmc module". */
export const BEHIND_USB_HUB: HostDeviceQuery = {
  bus: 'usb',
  names: BEHIND_HUB,
  attributes: ['manufacturer', 'product', 'serial'],
}

/**
 * Finds the slots and physical hub ports of the host's USB devices, ordered by slot. Ports that are off are missing from the hub's numbering.
 * So the host sees a slot at its mapped port minus the number of lower mapped ports that are off; wire-protocol.md section 2, "bmc module".
 */
export function placeUsbDevices({ hub, states, ports }: UsbPorts, devices: readonly HostDevice[]) {
  if (hub !== 'enabled') return []
  const off = ports.filter((port, slot) => port !== 0 && states[slot] !== 'enabled')
  return ports.flatMap((port, slot) => {
    if (port === 0 || states[slot] !== 'enabled') return []
    const effective = port - off.filter((lower) => lower < port).length
    return devices.filter(({ name }) => hubPort(name) === effective).map((device) => ({ slot, port, device }))
  })
}

/** The hub's port number as the host counts. */
function hubPort(name: string): number {
  return Number(BEHIND_HUB.exec(name)?.[1])
}
