import type { HostUsbDevice } from '@slotwire/core'
import { describe, expect, it } from 'vitest'
import { placeUsbDevices } from './usb-devices.ts'
import type { HubState } from './wire.ts'

const on = 'enabled'
const off = 'disabled'
const none = 'not available'
const ports = [0, 0, 4, 3, 2, 1, 6, 5]
const allOn: HubState[] = [none, none, on, on, on, on, on, on]

const at = (port: number): HostUsbDevice => ({
  port,
  manufacturer: '',
  product: '',
  serialCode: `on ${port}`,
  systemPath: `/sys/bus/usb/devices/1-1.${port}`,
})

function slotsOf(states: readonly HubState[], devices: readonly HostUsbDevice[], hub: HubState = on) {
  return placeUsbDevices({ hub, states, ports }, devices).map(({ slot, port, device }) => [slot, port, device.port])
}

describe('the slots of USB devices', () => {
  it('follow the mapping while every port is on', () => {
    expect(slotsOf(allOn, [at(1), at(2), at(6)])).toEqual([
      [4, 2, 2],
      [5, 1, 1],
      [6, 6, 6],
    ])
  })

  it('count down the lower ports that are disabled or not available', () => {
    // Slots 5 (port 1) and 3 (port 3) are off: port 2 is seen as 1, port 4 as 2, port 6 as 4.
    const states: HubState[] = [none, none, on, off, on, none, on, on]
    expect(slotsOf(states, [at(1), at(2), at(4)])).toEqual([
      [2, 4, 2],
      [4, 2, 1],
      [6, 6, 4],
    ])
  })

  it('leave out a device that hangs on no slot, and take several on one', () => {
    expect(slotsOf(allOn, [at(7), at(1), at(1)])).toEqual([
      [5, 1, 1],
      [5, 1, 1],
    ])
  })

  it('are none while the hub is off', () => {
    expect(slotsOf(allOn, [at(1)], off)).toEqual([])
  })
})
