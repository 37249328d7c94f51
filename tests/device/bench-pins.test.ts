import { button, resistor, source, squareWave } from '@slotwire/twin'
import { describe, expect, it } from 'vitest'
import { moduleAt, pinsOf, pinsOn, useTwins } from '../../packages/device/src/twin/twin.testkit.ts'

const twinOn = useTwins()
const QUIET = {
  under_voltage_alert: false,
  high_voltage_alert: false,
  high_current_alert: false,
  custom_voltage_alert: false,
}

describe('a bench pin, over REST', () => {
  it('reads 23.76 V for a source of 24 V behind 10 kΩ on an input of 1 MΩ, and 0 V after its removal', async () => {
    const twin = await twinOn()
    const sensor = twin.bench.pin(3, 1).connect(source(24, { ohms: 10_000 }))
    expect((await pinsOf(twin, 3))[0]).toMatchObject({ pin_type: 'voltage_millivolt', value: 23_760 })
    sensor.set({ volts: 12 })
    expect((await pinsOf(twin, 3))[0]).toMatchObject({ value: 11_880 })
    sensor.disconnect()
    expect((await pinsOf(twin, 3))[0]).toMatchObject({ value: 0 })
  })

  it('raises an alert 20 ms after a short of a driven pin, which then is an analog input again', async () => {
    const twin = await twinOn()
    const io = moduleAt(twin, 'io', 3)
    await io.set('power-management', pinsOn('5_volt', 100))
    await io.set('output/state', { pin: 2, state: 'high' })
    expect(twin.bench.pin(3, 2).volts).toBeCloseTo(5.15, 6)
    await twin.clock.advance(100)
    const trace = twin.bench.pin(3, 2).record()
    twin.bench.pin(3, 2).short()
    // The module switches off after a short of 2 ms, and raises the alert 20 ms later.
    await twin.clock.advance(21.9)
    expect(await io.read('notification/2')).toEqual(QUIET)
    await twin.clock.advance(0.2)
    expect(await io.read('notification/2')).toEqual({ ...QUIET, high_current_alert: true, under_voltage_alert: true })
    expect((await pinsOf(twin, 3))[1]).toMatchObject({ pin_type: 'voltage_millivolt', value: 0 })
    expect(twin.bench.pin(3, 2).amps).toBeCloseTo(0, 9)
    expect(await io.read('notification/1')).toEqual(QUIET)
    trace.stop()
    twin.bench.pin(3, 2).disconnect()
    await twin.clock.advance(50)
    expect(await io.read('notification/2')).toEqual(QUIET)
  })

  it('raises no alert for a short of a pin that is not driven', async () => {
    const twin = await twinOn()
    twin.bench.pin(3, 2).short()
    await twin.clock.advance(100)
    expect(await moduleAt(twin, 'io', 3).read('notification/2')).toEqual(QUIET)
  })

  it('has the voltage of the pin to which it is wired, from slot 3 to slot 5', async () => {
    const twin = await twinOn()
    const io = moduleAt(twin, 'io', 3)
    await io.set('power-management', pinsOn('12_volt', 100))
    twin.bench.pin(3, 6).wireTo(twin.bench.pin(5, 6))
    await io.set('output/state', { pin: 6, state: 'high' })
    expect((await pinsOf(twin, 5))[5]).toMatchObject({ value: 12_050 })
  })

  it('shows a load in the current of the pin and of its rail: 5.15 V over 3.1667 Ω and 100 Ω', async () => {
    const twin = await twinOn()
    const [io, power] = [moduleAt(twin, 'io', 3), moduleAt(twin, 'power', 1)]
    await io.set('power-management', pinsOn('5_volt', 300))
    await io.set('output/state', { pin: 1, state: 'high' })
    const before = await power.figures('stats')
    twin.bench.pin(3, 1).connect(resistor(100))
    const milliampere = 1000 * (5.15 / (100 + 0.95 / 0.3))
    const { pins } = await io.read('input/values/current')
    expect((pins as { value: number }[])[0]?.value).toBe(Math.round(milliampere + 2))
    const after = await power.figures('stats')
    // The converter of the rail has 90 % efficiency: it draws a tenth more.
    expect(Number(after['current_5v0']) - Number(before['current_5v0'])).toBeCloseTo(1.1 * milliampere, -0.5)
  })

  it('raises one event for a bouncing button pressed for 100 ms, if debounced', async () => {
    const twin = await twinOn()
    const io = moduleAt(twin, 'io', 3)
    twin.bench.pin(3, 4).connect(resistor(10_000, { volts: 5 }))
    const key = twin.bench.pin(3, 4).connect(button())
    await io.set('input/mode', { pin: 4, mode: 'digital' })
    await io.set('input/digital/interrupt', { pin: 4, debounce_time_milliseconds: 10, trigger: 'falling' })
    await twin.clock.advance(100)
    key.set({ pressForMs: 100 })
    await twin.clock.advance(9)
    expect(await io.read('notification/4')).toEqual(QUIET)
    await twin.clock.advance(200)
    expect(await io.read('notification/4')).toEqual({ ...QUIET, custom_voltage_alert: true })
    expect(await io.read('notification/4')).toEqual(QUIET)
  })

  it('counts a waveform: 1000 Hz', async () => {
    const twin = await twinOn()
    const io = moduleAt(twin, 'io', 3)
    twin.bench.pin(3, 5).connect(squareWave(1000, { lowVolts: 0, highVolts: 5 }))
    await io.set('input/mode', { pin: 5, mode: 'digital' })
    await io.set('input/digital/counter', { pin: 5, state: 'enabled' })
    await twin.clock.advance(3000)
    expect((await pinsOf(twin, 3))[4]).toEqual({ pin: 5, pin_type: 'frequency_hertz', value: 1000 })
  })

  it('records in its trace what a reader once a second misses', async () => {
    const twin = await twinOn()
    const io = moduleAt(twin, 'io', 3)
    await io.set('power-management', pinsOn('5_volt', 100))
    const pin = twin.bench.pin(3, 2)
    const trace = pin.record()
    await twin.clock.advance(400)
    await io.set('output/state', { pin: 2, state: 'high' })
    await twin.clock.advance(100)
    pin.short()
    await twin.clock.advance(500)
    const highest = trace.samples(0, 1000, 10).map(({ highVolts }) => Math.round(highVolts * 100) / 100)
    expect(highest).toEqual([0, 0, 0, 0, 5.15, 0, 0, 0, 0, 0])
    trace.stop()
  })
})
