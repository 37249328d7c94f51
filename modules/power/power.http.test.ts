import type { Rail } from '@slotwire/core'
import { resistor } from '@slotwire/twin'
import { expect, it } from 'vitest'
import { describeDevice } from '../../tests/device/device.testkit.ts'

/** A slot without a module, with a settable draw. */
const LOAD_SLOT = 6

describeDevice('GET stats', (device) => {
  const power = device.module('power', 1)

  it('follows the draw of an io pin', async () => {
    const io = device.module('io', 5)
    const before = (await power.read('stats')) as Record<string, number>
    const config = Array.from({ length: 6 }, () => ({ rail: '5_volt', current_milliampere: 300 }))
    await io.set('power-management', { config })
    await io.set('output/state', { pin: 5, state: 'high' })
    device.chassis.wiring.connect('5/5', resistor({ ohms: 20 }))
    const after = (await power.read('stats')) as Record<string, number>
    // 5.15 V / (20 + 3.17) Ω = 222 mA, and 2 mA of switching loss; with dissipation 1.1 times that.
    expect((after['current_5v0'] ?? 0) - (before['current_5v0'] ?? 0)).toBeCloseTo(247, -1)
    expect(after['voltage_5v0']).toBeLessThan(before['voltage_5v0'] ?? 0)
  })
})

describeDevice('GET protectionlog', (device) => {
  const power = device.module('power', 1)
  const overload = (rail: Rail, milliampere: number) =>
    device.chassis.rails.setDraw(LOAD_SLOT, { '3v3': 0, '5v0': 0, '12v': 0, [rail]: milliampere })

  it('counts an over current on 12V, which switches that rail off for a second; the sum includes it', async () => {
    await power.set('limits', { limit_3v3: 5949, limit_5v0: 4949, limit_12v: 500 })
    overload('12v', 600)
    await device.advance(100)
    overload('12v', 0)
    const { opp_protection_cnt: sum, ...counters } = (await power.read('protectionlog')) as Record<string, number>
    expect(counters['ocp_cnt_12v']).toBe(1)
    expect(sum).toBe(Object.values(counters).reduce((total, counter) => total + counter))
    expect((await power.read('stats'))['voltage_12v']).toBe(0)
    await device.advance(1000)
    expect((await power.read('stats'))['voltage_12v']).toBeGreaterThan(11_300)
  })

  it('keeps its counters when an over current on 5V0 restarts the device, and after a reset', async () => {
    const session = await power.session()
    await power.set('limits', { limit_3v3: 5949, limit_5v0: 1001, limit_12v: 2399 })
    overload('5v0', 1500)
    await device.advance(100)
    overload('5v0', 0)
    expect((await power.get('protectionlog')).status).toBe(502)
    await device.advance(3200)
    expect(await power.session()).not.toBe(session)
    expect((await power.read('protectionlog'))['ocp_cnt_5v0']).toBe(1)
    await power.set('reset', { reset: 'yes' })
    expect((await power.read('protectionlog'))['ocp_cnt_5v0']).toBe(1)
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

const MORE_THAN_THERE_IS = { config: Array.from({ length: 6 }, () => ({ rail: '12_volt', current_milliampere: 500 })) }

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
