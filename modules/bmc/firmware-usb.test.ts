import { ManualClock, silentLog } from '@slotwire/core'
import { ENUMERATION_MS, UsbHub, VolatileMemory } from '@slotwire/twin'
import { describe, expect, it } from 'vitest'
import { bareModule, FullMemory } from '../../packages/twin/src/module/bare-module.testkit.ts'
import { bmcFirmware } from './firmware.ts'
import { SettingsStore } from './firmware-settings.ts'
import { HUB_PORT_OF_SLOT, UsbPorts } from './firmware-usb.ts'
import * as wire from './wire.ts'

const DEVICE = { manufacturer: 'Slotwire', product: 'Virtual device', serialCode: 'A1' }

function portOf(slot: number): number {
  return HUB_PORT_OF_SLOT[slot] ?? 0
}

function usbBench(memory = new VolatileMemory()) {
  const bench = bareModule(bmcFirmware, { slot: 0, memory })
  const { ask, board } = bench
  return {
    ...bench,
    hub: () => ask(wire.getHubState, {}).state,
    slots: () => ask(wire.getUsbSlotState, {}).states,
    setSlot: (slot: number, enabled: boolean) => ask(wire.setUsbSlotState, { slot, enabled }),
    setHub: (enabled: boolean) => ask(wire.setHubState, { enabled }),
    hubReset: () => ask(wire.hubReset, {}),
    devices: () => board.usb.hostDevices(),
  }
}

const ALL_ENABLED = ['not available', 'not available', ...Array<string>(6).fill('enabled')]

/** A slot's port on the host, by the wire document: its mapped port minus the number of lower mapped ports that are off. */
function effectivePort(slot: number, states: readonly string[]): number {
  const lowerOff = HUB_PORT_OF_SLOT.filter((port, other) => port > 0 && port < portOf(slot) && states[other] !== 'enabled')
  return portOf(slot) - lowerOff.length
}

describe('BMC USB hub', () => {
  it('has ports for slots 2…7, all enabled in a new device', () => {
    const { hub, slots, ask } = usbBench()
    expect(hub()).toBe('enabled')
    expect(slots()).toEqual(ALL_ENABLED)
    const { ports } = ask(wire.getPortMapping, {})
    expect(ports.slice(0, 2)).toEqual([0, 0])
    expect(new Set(ports.slice(2))).toEqual(new Set([1, 2, 3, 4, 5, 6]))
  })

  it('shows a slot setting only after HUB_RESET', () => {
    const { slots, setSlot, hubReset } = usbBench()
    setSlot(3, false)
    expect(slots()).toEqual(ALL_ENABLED)
    hubReset()
    expect(slots()[3]).toBe('disabled')
    setSlot(3, true)
    expect(slots()[3]).toBe('disabled')
    hubReset()
    expect(slots()).toEqual(ALL_ENABLED)
  })

  it('shows a hub setting only after HUB_RESET', () => {
    const { hub, setHub, hubReset } = usbBench()
    setHub(false)
    expect(hub()).toBe('enabled')
    hubReset()
    expect(hub()).toBe('disabled')
  })

  it('applies the saved setting of the hub alone at SUSPEND, and all saved settings at the next power-on', () => {
    const { hub, slots, setSlot, setHub, firmware, memory } = usbBench()
    setSlot(7, false)
    setHub(false)
    firmware.reset()
    expect([hub(), slots()[7]]).toEqual(['disabled', 'enabled'])
    const next = usbBench(memory)
    expect([next.hub(), next.slots()[7]]).toEqual(['disabled', 'disabled'])
  })

  it('is not available, and refuses settings, while it is missing', () => {
    const { hub, slots, setSlot, setHub, refusal, firmware } = usbBench()
    const restore = firmware.defects?.['usb_hub_missing']?.()
    expect([hub(), new Set(slots())]).toEqual(['not available', new Set(['not available'])])
    expect(refusal(() => setHub(false))).toBe(wire.BmcStatus.wrongState)
    expect(refusal(() => setSlot(4, false))).toBe(wire.BmcStatus.wrongState)
    restore?.()
    expect([hub(), slots()]).toEqual(['enabled', ALL_ENABLED])
  })

  it('comes back with the state that was applied last, and without supply with no device', async () => {
    const { hub, setHub, devices, board, clock, firmware } = usbBench()
    board.usb.attach(portOf(4), DEVICE)
    setHub(false)
    firmware.defects?.['usb_hub_missing']?.()()
    await clock.advance(ENUMERATION_MS)
    expect([hub(), devices().length]).toEqual(['enabled', 1])
    const restore = firmware.defects?.['usb_hub_missing']?.()
    firmware.powerDown?.()
    restore?.()
    await clock.advance(ENUMERATION_MS)
    expect(devices()).toEqual([])
  })

  it('disconnects all devices at HUB_RESET; they enumerate again', async () => {
    const { devices, hubReset, board, clock } = usbBench()
    board.usb.attach(portOf(4), DEVICE)
    await clock.advance(ENUMERATION_MS)
    expect(devices()).toHaveLength(1)
    hubReset()
    expect(devices()).toEqual([])
    await clock.advance(ENUMERATION_MS - 1)
    expect(devices()).toEqual([])
    await clock.advance(1)
    expect(devices()).toHaveLength(1)
  })

  it('keeps devices connected at a SUSPEND that changes nothing', async () => {
    const { devices, board, clock, firmware } = usbBench()
    board.usb.attach(portOf(4), DEVICE)
    await clock.advance(ENUMERATION_MS)
    firmware.reset()
    expect(devices()).toHaveLength(1)
  })

  it('hides the devices of disabled slots, and all devices while the hub is disabled', async () => {
    const { devices, setSlot, setHub, hubReset, board, clock } = usbBench()
    board.usb.attach(portOf(4), DEVICE)
    board.usb.attach(portOf(6), { ...DEVICE, serialCode: 'B2' })
    setSlot(4, false)
    hubReset()
    await clock.advance(ENUMERATION_MS)
    expect(devices().map(({ attributes }) => attributes['serial'])).toEqual(['B2'])
    setHub(false)
    hubReset()
    await clock.advance(ENUMERATION_MS)
    expect(devices()).toEqual([])
  })

  it.each([[[]], [[5]], [[2, 3, 5]], [[2, 3, 5, 6, 7]]])(
    'numbers its ports for the host without slots %j',
    async (off: number[]) => {
      const { devices, slots, setSlot, hubReset, board, clock } = usbBench()
      board.usb.attach(portOf(4), DEVICE)
      for (const slot of off) setSlot(slot, false)
      hubReset()
      await clock.advance(ENUMERATION_MS)
      const port = effectivePort(4, slots())
      expect(devices().map(({ name }) => name)).toEqual([`1-1.${port}`])
    },
  )

  it('answers out of range for slots without USB, missing slots and other states', () => {
    const { raw } = usbBench()
    for (const slot of [0, 1, 8]) expect([...raw(3, 2, 5, 1, slot)]).toEqual([3, 2, 5, wire.BmcStatus.outOfRange])
    expect([...raw(3, 2, 5, 3, 2)]).toEqual([3, 2, 5, wire.BmcStatus.outOfRange])
    expect([...raw(3, 2, 3, 0)]).toEqual([3, 2, 3, wire.BmcStatus.outOfRange])
  })

  it('answers wrong state for a slot whose port is not available', () => {
    const settings = new SettingsStore(new VolatileMemory(), silentLog)
    const ports = new UsbPorts(new UsbHub(new ManualClock()), settings, [0, 0, 1, 0, 2, 0, 0, 0])
    ports.reset()
    expect(ports.slotStates[3]).toBe('not available')
    expect(() => ports.saveSlot(3, true)).toThrow(`status ${wire.BmcStatus.wrongState}`)
  })

  it('keeps the old settings when the new ones cannot be saved', () => {
    const { setSlot, setHub, hubReset, hub, slots, refusal } = usbBench(new FullMemory())
    expect(refusal(() => setSlot(3, false))).toBe(wire.BmcStatus.failed)
    expect(refusal(() => setHub(false))).toBe(wire.BmcStatus.failed)
    hubReset()
    expect([hub(), slots()]).toEqual(['enabled', ALL_ENABLED])
  })
})
