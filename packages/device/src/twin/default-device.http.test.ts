import { ManualClock, seededRandom } from '@slotwire/core'
import { button, coil, Steady, VolatileMemory } from '@slotwire/twin'
import { expect, it } from 'vitest'
import { describeDevice } from '../../../../tests/device/device.testkit.ts'
import { DEFAULT_LAYOUT, defaultChassis } from './default-device.ts'

const PINS = [1, 2, 3, 4, 5, 6]

describeDevice('the default device', (device) => {
  it('has bmc in slot 0, power in 1, and io in 3 and 5', async () => {
    expect(device.chassis.occupiedSlots).toEqual(expect.arrayContaining([0, 1, 3, 5]))
    const taken = DEFAULT_LAYOUT.map(([slot]) => slot)
    expect(device.chassis.occupiedSlots).toEqual(taken.sort((one, other) => one - other))
    for (const free of [2, 7])
      expect(taken, `tests and examples plug modules into slot ${free}: choose another one`).not.toContain(free)
    for (const [service, slots] of Object.entries({ bmc: [0], power: [1], io: [3, 5] })) {
      const { body } = await device.get(`/api/${service}/1.0/`)
      expect(body?.['devices']).toMatchObject(slots.map((slot_number) => ({ slot_number })))
    }
    device.chassis.unplug(5)
    for (const slot of [5, 7]) expect(() => device.chassis.module(slot)).toThrow(`slot ${slot} is empty`)
    expect(() => device.chassis.module(8)).toThrow()
  })

  it('has no wiring on slot 3, and the documented wiring on pins 1 to 4 of slot 5', () => {
    const { wiring } = device.chassis
    expect(PINS.flatMap((pin) => wiring.connections(`3/${pin}`))).toEqual([])
    const found = wiring.connections().map(({ terminals, kind, settings }) => ({ terminals, kind, settings }))
    expect(found).toMatchObject([
      { terminals: ['5/1', '5/2'], kind: 'wire' },
      { terminals: ['5/3'], kind: 'resistor', settings: { volts: 3.3, ohms: 10_000 } },
      { terminals: ['5/4'], kind: 'squareWave', settings: { frequencyHz: 100 } },
    ])
    expect(wiring.terminal('5/4').node.extremes()).toEqual([expect.closeTo(0, 3), expect.closeTo(5, 3)])
  })

  it('has one USB device, on the port of slot 4', async () => {
    const { devices } = await device.module('bmc', 0).read('usbhub/devices')
    expect(devices).toMatchObject([{ slot: 4, product: 'Virtual serial adapter' }])
  })

  it('accepts plugging and unplugging while it runs', async () => {
    device.chassis.unplug(3)
    await device.advance(1000)
    expect((await device.get('/api/io/1.0/3/input/values')).status).toBe(404)
    expect((await device.get('/api/io/1.0/5/input/values')).status).toBe(200)
  })
})

it('defaultChassis uses one clock for buttons, coils and modules', async () => {
  const clock = new ManualClock()
  const { wiring } = defaultChassis({ clock, random: seededRandom(1), memory: () => new VolatileMemory() })
  const terminal = wiring.terminal('3/1')
  terminal.drive(new Steady({ volts: 12, ohms: 100 }))
  await clock.advance(5000)
  wiring.connect('3/1', coil({ ohms: 100, henry: 0.2 }))
  const pressed = wiring.connect('3/2', button({ volts: 5, bounces: 0 }))
  wiring.terminal('3/2').drive(new Steady({ volts: 0, ohms: 1_000_000 }))
  pressed.set({ pressForMs: 50 })
  expect(terminal.ampsAt(clock.now())).toBeCloseTo(0, 3)
  expect(wiring.terminal('3/2').voltsAt(clock.now())).toBeCloseTo(5, 3)
  await clock.advance(1)
  expect(terminal.ampsAt(clock.now())).toBeCloseTo(0.06 * (1 - Math.exp(-1)), 3)
  await clock.advance(49)
  expect(wiring.terminal('3/2').voltsAt(clock.now())).toBe(0)
})
