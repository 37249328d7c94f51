import { DEFAULT_LAYOUT } from '@slotwire/device/twin'
import { beforeEach, expect, it } from 'vitest'
import { describeDevice } from '../../tests/device/device.testkit.ts'
import * as firmwares from '../firmwares.ts'
import { alertsOf, allPins, pinOf } from './pin-story.testkit.ts'

/*
 * By hand, in milliwatt, 3V3 / 5V0 / 12V:
 *   the supply gives      17671 / 22275 / 28750, in all 28750, at 90 / 90 / 100 %
 *   bmc and power module    650 /  1350 /   200, each io module 300 / 0 / 0 without a configuration
 *   an io module, per pin   5 V: current × 5 + 200 on 5V0;  12 V: 400 on 5V0, current × 12 on 12V
 */
const missing = (rail3v3: number, rail5v0: number, rail12v: number) => ({
  rail_3v3_milliwatt: rail3v3,
  rail_5v0_milliwatt: rail5v0,
  rail_12v_milliwatt: rail12v,
})
const granted = { status: 'success', too_much_power: missing(0, 0, 0) }
/** 12V: 200 + 6 × 500 × 12 = 36200, 7450 more than 28750. */
const tooMuch = { status: 'denied', too_much_power: missing(0, 0, 7450) }

describeDevice('POST power-management', (device) => {
  const io = device.module('io', 5)
  const other = device.module('io', 3)
  const counted = ['bmc', 'power', 'io']
  beforeEach(() => {
    for (const [slot, type] of DEFAULT_LAYOUT) if (!counted.includes(type)) device.chassis.unplug(slot)
  })
  const ask = async (module: typeof io, body: unknown) => {
    const { status, body: answer } = await module.post('power-management', body)
    expect(status).toBe(200)
    return answer
  }

  it('succeeds with nothing missing if the budget allows it', async () =>
    expect(await ask(io, allPins('5_volt', 300))).toEqual(granted))

  it('is denied with HTTP 200 and the milliwatt missing on the rail', async () =>
    expect(await ask(io, allPins('12_volt', 500))).toEqual(tooMuch))

  it('is denied on the rail that it adds most to if only the total is exceeded', async () => {
    expect(await ask(io, allPins('5_volt', 300))).toEqual(granted)
    // 12V 200 + 21600 and 5V0 1350 + 10200 + 2400 fit; 1250 × 1.1 + 13950 × 1.1 + 21800 = 38520, 9770 more than 28750.
    expect(await ask(other, allPins('12_volt', 300))).toEqual({ status: 'denied', too_much_power: missing(0, 0, 9770) })
    expect(await ask(other, allPins('5_volt', 300))).toEqual(granted)
  })

  it('does not affect the module or its current grant when it is denied', async () => {
    expect(await ask(io, allPins('5_volt', 100))).toEqual(granted)
    await io.set('output/state', { pin: 1, state: 'high' })
    const before = device.bus.exchanges(5).length
    expect(await ask(io, allPins('12_volt', 500))).toEqual(tooMuch)
    expect(device.bus.exchanges(5)).toHaveLength(before)
    expect((await pinOf(io, 2)).value).toBe(5150)
  })

  it('counts both io modules in one budget', async () => {
    expect(await ask(io, allPins('12_volt', 200))).toEqual(granted)
    // 12V: 200 + 14400 + 14400 = 29000, 250 more than 28750.
    const denied = { status: 'denied', too_much_power: missing(0, 0, 250) }
    expect(await ask(other, allPins('12_volt', 200))).toEqual(denied)
    expect(await ask(io, allPins('5_volt', 0))).toEqual(granted)
    expect(await ask(other, allPins('12_volt', 200))).toEqual(granted)
    expect(await ask(io, allPins('12_volt', 200))).toEqual(denied)
  })

  it('grants exactly one of two simultaneous requests that together exceed the budget', async () => {
    const answers = await Promise.all([ask(io, allPins('12_volt', 200)), ask(other, allPins('12_volt', 200))])
    expect(answers.map((answer) => answer?.['status']).sort()).toEqual(['denied', 'success'])
  })

  it('frees the power of a module that is reset or leaves', async () => {
    expect(await ask(io, allPins('12_volt', 200))).toEqual(granted)
    await io.set('reset', { reset: 'yes' })
    expect(await ask(other, allPins('12_volt', 200))).toEqual(granted)
    device.chassis.unplug(3)
    await device.advance(10)
    expect(await ask(io, allPins('12_volt', 200))).toEqual(granted)
  })

  it('makes all pins analog and keeps pending notifications', async () => {
    await ask(io, allPins('5_volt', 100))
    await io.set('input/analog/threshold', { pin: 4, threshold_millivolt: 2500, trigger: 'rising' })
    await io.set('input/mode', { pin: 6, mode: 'digital' })
    await io.set('output/state', { pin: 1, state: 'high' })
    await device.advance(50)
    await ask(io, allPins('5_volt', 200))
    expect([(await pinOf(io, 6)).pin_type, (await pinOf(io, 2)).value]).toEqual(['voltage_millivolt', 0])
    await device.advance(100)
    expect(await io.read('notification/4')).toMatchObject({ custom_voltage_alert: true })
  })

  it('suspends the module, which loses unreported events of the last 20 ms', async () => {
    await ask(io, allPins('5_volt', 100))
    await io.set('input/analog/threshold', { pin: 2, threshold_millivolt: 2500, trigger: 'rising' })
    await io.set('output/state', { pin: 1, state: 'high' })
    await device.advance(19)
    await ask(io, allPins('5_volt', 200))
    await device.advance(100)
    expect(await alertsOf(io, 2)).toEqual([])
  })

  it('has no limit without a power module', async () => {
    device.chassis.unplug(1)
    await device.advance(10)
    expect(await ask(io, allPins('12_volt', 500))).toEqual(granted)
    device.chassis.plug(1, firmwares.power)
    await device.advance(1000)
    expect(await ask(io, allPins('12_volt', 500))).toEqual(tooMuch)
  })
})

describeDevice(
  'POST power-management in weak mode',
  (device) => {
    it('succeeds with the same figures, and the pins can be driven', async () => {
      const io = device.module('io', 5)
      const { body } = await io.post('power-management', allPins('12_volt', 500))
      expect(body).toEqual({ ...tooMuch, status: 'success' })
      await io.set('output/state', { pin: 1, state: 'high' })
      expect((await pinOf(io, 2)).value).toBe(12_050)
    })
  },
  { powerMode: 'weak' },
)

const power = allPins('5_volt', 100)
const high = { pin: 6, state: 'high' }

describeDevice(
  'power-management and simultaneous requests to the same slot, on a timed bus',
  (device) => {
    const io = device.module('io', 5)
    const both = async (first: Promise<{ status: number }>, second: Promise<{ status: number }>) => {
      const answers = await device.until(Promise.all([first, second]))
      return answers.map(({ status }) => status)
    }

    it('powers an output that comes after it, which keeps its level', async () => {
      for (let time = 0; time < 2; time++) {
        expect(await both(io.post('power-management', power), io.post('output/state', high))).toEqual([200, 200])
        // Pin 6 drives 5 V; without load it is a little above.
        expect((await device.until(pinOf(io, 6))).value).toBeGreaterThan(4900)
      }
    })

    it('runs after an output that came before it, and resets that', async () => {
      await device.until(io.set('power-management', power))
      expect(await both(io.post('output/state', high), io.post('power-management', power))).toEqual([200, 200])
      expect((await device.until(pinOf(io, 6))).value).toBeLessThan(100)
    })

    it('runs before a reset that came after it, so no power is left', async () => {
      expect(await both(io.post('power-management', power), io.post('reset', { reset: 'yes' }))).toEqual([200, 200])
      expect((await device.until(io.post('output/state', high))).status).toBe(400)
    })
  },
  { bus: 'timed' },
)
