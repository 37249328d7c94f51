import { ManualClock } from '@slotwire/core'
import { describe, expect, it } from 'vitest'
import { ENUMERATION_MS, type UsbDeviceIdentity, UsbHub } from './usb-hub.ts'

const STICK = { manufacturer: 'Acme', product: 'Stick', serialCode: '1' }
const MOUSE = { manufacturer: '', product: '', serialCode: '2' }
const ALL = new Set([1, 2, 3, 4, 5, 6, 7, 8])

function hubWith(enabled: ReadonlySet<number> = ALL) {
  const clock = new ManualClock()
  const hub = new UsbHub(clock)
  hub.attach(2, STICK)
  hub.attach(5, MOUSE)
  hub.apply(enabled)
  return { clock, hub }
}

const seen = (name: string, { serialCode: serial, ...names }: UsbDeviceIdentity) => ({
  name,
  systemPath: `/sys/devices/platform/usb/usb1/1-1/${name}`,
  attributes: { ...names, serial },
})

describe('the virtual USB bus', () => {
  it('shows no devices while the hub has no supply', () => {
    const hub = new UsbHub(new ManualClock())
    hub.attach(1, STICK)
    expect(hub.hostDevices()).toEqual([])
  })

  it('shows devices that were attached before power-on, by port, with the path of the host', () => {
    const { hub } = hubWith()
    expect(hub.hostDevices()).toEqual([seen('1-1.2', STICK), seen('1-1.5', MOUSE)])
  })

  it('skips disabled ports and their devices in the numbering', () => {
    const { hub } = hubWith(new Set([2, 5, 6]))
    expect(hub.hostDevices().map(({ name }) => name)).toEqual(['1-1.1', '1-1.2'])
    const without = hubWith(new Set([1, 3, 5])).hub
    expect(without.hostDevices()).toEqual([seen('1-1.3', MOUSE)])
  })

  it('removes all devices when ports are applied, and brings them back after enumeration', async () => {
    const { hub, clock } = hubWith()
    hub.apply(ALL)
    expect(hub.hostDevices()).toEqual([])
    await clock.advance(ENUMERATION_MS - 1)
    expect(hub.hostDevices()).toEqual([])
    await clock.advance(1)
    expect(hub.hostDevices()).toHaveLength(2)
  })

  it('finds an attached device after enumeration, and loses a detached one at once', async () => {
    const { hub, clock } = hubWith()
    hub.attach(1, { ...STICK, serialCode: '3' })
    expect(hub.hostDevices()).toHaveLength(2)
    await clock.advance(ENUMERATION_MS)
    expect(hub.hostDevices()).toHaveLength(3)
    hub.detach(1)
    expect(hub.hostDevices()).toHaveLength(2)
  })

  it('shows no devices without supply, and all of them at once when the supply returns', () => {
    const { hub } = hubWith()
    hub.powerOff()
    expect(hub.hostDevices()).toEqual([])
    hub.apply(ALL)
    expect(hub.hostDevices()).toHaveLength(2)
  })

  it('keeps its own copy of the applied set', () => {
    const enabled = new Set([1, 2, 5])
    const { hub } = hubWith(enabled)
    enabled.clear()
    expect(hub.hostDevices()).toHaveLength(2)
  })

  it('refuses ports that do not exist or are taken', () => {
    const { hub } = hubWith()
    for (const port of [0, 9, 1.5]) expect(() => hub.attach(port, STICK)).toThrow('1…8')
    expect(() => hub.attach(2, STICK)).toThrow('taken')
  })
})
