import type { HostDevice } from '@slotwire/core'
import { describe, expect, it } from 'vitest'
import { BEHIND_USB_HUB, placeUsbDevices } from './service.ts'
import type { HubState } from './wire.ts'

const on = 'enabled'
const off = 'disabled'
const none = 'not available'
const ports = [0, 0, 4, 3, 2, 1, 6, 5]
const allOn: HubState[] = [none, none, on, on, on, on, on, on]

const named = (name: string): HostDevice => ({ name, systemPath: `/sys/devices/platform/usb/usb1/1-1/${name}`, attributes: {} })
const at = (port: number): HostDevice => named(`1-1.${port}`)

function slotsOf(states: readonly HubState[], devices: readonly HostDevice[], hub: HubState = on) {
  return placeUsbDevices({ hub, states, ports }, devices).map(({ slot, port, device }) => [slot, port, device.name])
}

describe('the slots of USB devices', () => {
  it('follow the mapping while every port is enabled', () =>
    expect(slotsOf(allOn, [at(1), at(2), at(6)])).toEqual([
      [4, 2, '1-1.2'],
      [5, 1, '1-1.1'],
      [6, 6, '1-1.6'],
    ]))

  it('skip lower ports that are disabled or not available', () => {
    // Slots 5 (port 1) and 3 (port 3) are off: port 2 is seen as 1, port 4 as 2, port 6 as 4.
    const states: HubState[] = [none, none, on, off, on, none, on, on]
    expect(slotsOf(states, [at(1), at(2), at(4)])).toEqual([
      [2, 4, '1-1.2'],
      [4, 2, '1-1.1'],
      [6, 6, '1-1.4'],
    ])
  })

  it('leave out a device without a slot, and allow several in one slot', () =>
    expect(slotsOf(allOn, [at(7), at(1), at(1)])).toEqual([
      [5, 1, '1-1.1'],
      [5, 1, '1-1.1'],
    ]))

  it("give a device behind a second hub the slot of that hub's port", () =>
    expect(slotsOf(allOn, [named('1-1.2'), named('1-1.2.3'), named('1-3.10'), named('1-3.6')])).toEqual([
      [4, 2, '1-1.2'],
      [4, 2, '1-1.2.3'],
      [6, 6, '1-3.6'],
    ]))

  it.each(['usb1', '1-1', '1-1.4:1.0', '2-1.3'])('do not include %s', (name) =>
    expect(BEHIND_USB_HUB.names.test(name)).toBe(false),
  )

  it('are an empty list while the hub is off', () => expect(slotsOf(allOn, [at(1)], off)).toEqual([]))
})
