import { resistor } from '@slotwire/twin'
import { expect, it } from 'vitest'
import { describeDevice } from '../../tests/device/device.testkit.ts'
import { allPins } from '../io/pin-story.testkit.ts'

describeDevice('GET stats', (device) => {
  const power = device.module('power', 1)

  it('follows the draw of an io pin', async () => {
    const io = device.module('io', 5)
    const before = (await power.read('stats')) as Record<string, number>
    await io.set('power-management', allPins('5_volt', 300))
    await io.set('output/state', { pin: 5, state: 'high' })
    device.chassis.wiring.connect('5/5', resistor({ ohms: 20 }))
    const after = (await power.read('stats')) as Record<string, number>
    // 5.15 V / (20 + 3.17) Ω = 222 mA, and 2 mA of switching loss; with dissipation 1.1 times that.
    expect((after['current_5v0'] ?? 0) - (before['current_5v0'] ?? 0)).toBeCloseTo(247, -1)
    expect(after['voltage_5v0']).toBeLessThan(before['voltage_5v0'] ?? 0)
  })
})

describeDevice('fan', (device) => {
  const power = device.module('power', 1)
  const current = async () => (await power.read('fan'))['fan_current_mode']

  it('is forced to a mode after 2 to 10 s, and the speed follows 1 to 2 s later', async () => {
    const mode = 60
    await power.set('fan/rpm', { measurement_enabled: true })
    await power.set('fan', { fan_forced: true, fan_mode: mode })
    expect(await power.read('fan')).toMatchObject({ fan_forced: true, fan_setting_mode: mode, fan_current_mode: 0 })
    await device.advance(1990)
    expect(await current()).toBe(0)
    let waitedMs = 1990
    for (; (await current()) !== mode && waitedMs < 10_000; waitedMs += 10) await device.advance(10)
    expect(await current()).toBe(mode)
    expect(await power.read('fan/rpm')).toEqual({ enabled: true, rpm: 0 })
    await device.advance(980)
    expect(await power.read('fan/rpm')).toEqual({ enabled: true, rpm: 0 })
    await device.advance(1030)
    const { rpm } = (await power.read('fan/rpm')) as { rpm: number }
    expect(rpm).toBeGreaterThanOrEqual(mode * 50 * 0.85)
    expect(rpm).toBeLessThanOrEqual(mode * 50 * 1.15)
  })
})

const MORE_THAN_THERE_IS = allPins('12_volt', 500)

describeDevice('the power budget while the power module does not answer', (device) => {
  const io = device.module('io', 5)
  const ask = () => device.until(io.post('power-management', MORE_THAN_THERE_IS))

  it('is the last one, not unlimited, while the module hangs', async () => {
    device.bus.hang(1)
    await device.advance(3000)
    expect(await device.module('power', 1).session()).toBeUndefined()
    expect((await ask()).body).toMatchObject({ status: 'denied' })
  })

  it('is unknown, with a 500, also just before the module is given up', async () => {
    device.bus.hang(1)
    const before = device.bus.exchanges(5).length
    expect((await ask()).status).toBe(500)
    expect(device.bus.exchanges(5)).toHaveLength(before)
  })
})
