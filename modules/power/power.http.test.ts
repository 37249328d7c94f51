import { type Rail, resistor } from '@slotwire/twin'
import { expect, it } from 'vitest'
import { describeDevice } from '../../tests/device/device.testkit.ts'

/** A slot without a module, with a settable draw. */
const LOAD_SLOT = 6

const COUNTERS = [
  ...'ovp_cnt_3v3 uvp_cnt_3v3 ovp_cnt_5v0 uvp_cnt_5v0 ovp_cnt_12v uvp_cnt_12v ocp_cnt_3v3 ocp_cnt_5v0'.split(' '),
  ...'ocp_cnt_12v pmc_temperature total_power_overload'.split(' '),
]

describeDevice('GET source, stats and temperature', (device) => {
  const power = device.module('power', 1)

  it('return the power of the supply in source', async () =>
    expect(await power.read('source')).toEqual({
      source_3v3: 17_671,
      source_5v0: 22_275,
      source_12v: 28_750,
      source_total: 28_750,
      efficiency_factor_3v3: 90,
      efficiency_factor_5v0: 90,
      efficiency_factor_12v: 100,
    }))

  it('return voltages inside the protection limits, whole figures, and the highest limits in stats', async () => {
    const stats = (await power.read('stats')) as Record<string, number>
    expect(Object.keys(stats)).toEqual([
      ...['voltage_3v3', 'voltage_5v0', 'voltage_12v', 'current_3v3', 'current_5v0', 'current_12v'],
      ...['limit_3v3', 'limit_5v0', 'limit_12v'],
    ])
    const between = (name: string, low: number, high: number) => {
      expect(stats[name]).toBeGreaterThanOrEqual(low)
      expect(stats[name]).toBeLessThanOrEqual(high)
    }
    between('voltage_3v3', 3240, 3440)
    between('voltage_5v0', 4608, 5202)
    between('voltage_12v', 11_300, 12_770)
    between('current_3v3', 1, 1000)
    between('current_5v0', 1, 1000)
    between('current_12v', 1, 100)
    expect(stats).toMatchObject({ limit_3v3: 5949, limit_5v0: 4949, limit_12v: 2399 })
    for (const value of Object.values(stats)) expect(Number.isInteger(value)).toBe(true)
  })

  it('follow the draw of an io pin in stats', async () => {
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

  it('return temperatures that rise with the load', async () => {
    const before = (await power.read('temperature')) as { on_board_temp: number; pmc_temp: number }
    device.chassis.rails.setDraw(LOAD_SLOT, { '3v3': 3000, '5v0': 1000, '12v': 0 })
    await device.advance(30_000)
    const after = (await power.read('temperature')) as { on_board_temp: number; pmc_temp: number }
    expect(after.on_board_temp).toBeGreaterThan(before.on_board_temp)
    expect(after.pmc_temp).toBeGreaterThan(before.pmc_temp)
  })
})

describeDevice('POST limits', (device) => {
  const power = device.module('power', 1)
  const highest = { limit_3v3: 5949, limit_5v0: 4949, limit_12v: 2399 }
  const lowest = { limit_3v3: 1001, limit_5v0: 1001, limit_12v: 101 }

  it.each([lowest, highest])('accepts %j', async (limits) => {
    await power.set('limits', limits)
    expect(await power.read('stats')).toMatchObject(limits)
  })

  it.each([
    ['limit_3v3', 1000, '1001…5949 mA'],
    ['limit_3v3', 5950, '1001…5949 mA'],
    ['limit_5v0', 1000, '1001…4949 mA'],
    ['limit_5v0', 4950, '1001…4949 mA'],
    ['limit_12v', 100, '101…2399 mA'],
    ['limit_12v', 2400, '101…2399 mA'],
  ])('refuses %s of %i mA, and then changes no limit', async (name, value, bounds) => {
    const { status, body } = await power.post('limits', { ...lowest, [name]: value })
    expect([status, body?.['message']]).toEqual([422, `${name} is out of range: ${bounds}, not ${value}`])
    expect(await power.read('stats')).toMatchObject(highest)
  })

  it('lets the default device run at the lowest limits', async () => {
    await power.set('limits', lowest)
    await device.advance(60_000)
    expect((await power.read('protectionlog'))['opp_protection_cnt']).toBe(0)
  })

  it('is undone by a reset: the limits are the highest again', async () => {
    await power.set('limits', lowest)
    await power.set('reset', { reset: 'yes' })
    expect(await power.read('stats')).toMatchObject(highest)
  })
})

describeDevice('GET protectionlog', (device) => {
  const power = device.module('power', 1)
  const overload = (rail: Rail, milliampere: number) =>
    device.chassis.rails.setDraw(LOAD_SLOT, { '3v3': 0, '5v0': 0, '12v': 0, [rail]: milliampere })

  it('is all zero at first', async () => {
    const log = await power.read('protectionlog')
    expect(Object.keys(log)).toEqual(['opp_protection_cnt', ...COUNTERS])
    expect(new Set(Object.values(log))).toEqual(new Set([0]))
  })

  it('counts an over current on 12V, which switches that rail off for a second; the sum includes it', async () => {
    await power.set('limits', { limit_3v3: 5949, limit_5v0: 4949, limit_12v: 500 })
    overload('12v', 600)
    await device.advance(100)
    overload('12v', 0)
    const log = (await power.read('protectionlog')) as Record<string, number>
    expect(log['ocp_cnt_12v']).toBe(1)
    expect(log['opp_protection_cnt']).toBe(COUNTERS.reduce((sum, name) => sum + (log[name] ?? 0), 0))
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

  it('counts an overload of all rails together once while it lasts', async () => {
    const session = await power.session()
    // 5 V × 4 A and 12 V × 1 A: within the limits of the rails, but more than 28750 mW.
    device.chassis.rails.setDraw(LOAD_SLOT, { '3v3': 0, '5v0': 4000, '12v': 1000 })
    await device.advance(500)
    expect(await power.read('protectionlog')).toMatchObject({ opp_protection_cnt: 1, total_power_overload: 1 })
    expect(await power.session()).toBe(session)
  })

  it('counts a power management controller above 125 °C', async () => {
    device.chassis.computer.ambientCelsius = 200
    await device.advance(120_000)
    expect(await power.read('protectionlog')).toMatchObject({ opp_protection_cnt: 1, pmc_temperature: 1 })
    expect((await power.read('temperature'))['pmc_temp']).toBeGreaterThan(125)
  })

  it.each([
    ['3v3', 200, 'ovp_cnt_3v3'],
    ['3v3', -200, 'uvp_cnt_3v3'],
    ['5v0', 400, 'ovp_cnt_5v0'],
    ['5v0', -600, 'uvp_cnt_5v0'],
    ['12v', 1000, 'ovp_cnt_12v'],
    ['12v', -1000, 'uvp_cnt_12v'],
  ] as const)('counts a voltage of %s that is off by %i mV', async (rail, millivolt, counter) => {
    device.chassis.rails.setVoltageOffset(rail, millivolt)
    await device.advance(50)
    device.chassis.rails.setVoltageOffset(rail, 0)
    await device.advance(3200)
    expect((await power.read('protectionlog'))[counter]).toBe(1)
  })
})

describeDevice('fan', (device) => {
  const power = device.module('power', 1)
  const current = async () => (await power.read('fan'))['fan_current_mode']

  it('is automatic at first, with setting 0', async () => {
    expect(await power.read('fan')).toEqual({ fan_forced: false, fan_current_mode: 0, fan_setting_mode: 0 })
    expect(await power.read('fan/rpm')).toEqual({ enabled: false, rpm: 0 })
  })

  it.each([20, 40, 60, 80, 100])('is forced to %i % after 2 to 10 s, and the speed follows 1 to 2 s later', async (mode) => {
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

  it('has 0 rpm while the measurement is off', async () => {
    await power.set('fan', { fan_forced: true, fan_mode: 100 })
    await device.advance(13_000)
    expect(await power.read('fan/rpm')).toEqual({ enabled: false, rpm: 0 })
    await power.set('fan/rpm', { measurement_enabled: true })
    expect((await power.read('fan/rpm'))['rpm']).toBeGreaterThan(4000)
    await power.set('fan/rpm', { measurement_enabled: false })
    expect(await power.read('fan/rpm')).toEqual({ enabled: false, rpm: 0 })
  })

  it('accepts a missing fan_mode when fan_forced is false, and sets it to 0', async () => {
    await power.set('fan', { fan_forced: true, fan_mode: 80 })
    await power.set('fan', { fan_forced: false })
    expect(await power.read('fan')).toMatchObject({ fan_forced: false, fan_setting_mode: 0 })
    await power.set('fan', { fan_forced: false, fan_mode: 20 })
    expect(await power.read('fan')).toMatchObject({ fan_forced: false, fan_setting_mode: 20 })
  })

  it('refuses a missing fan_mode when fan_forced is true', async () => {
    const { status, body } = await power.post('fan', { fan_forced: true })
    expect([status, body?.['message']]).toEqual([
      422,
      'fan_mode is missing: 0, 20, 40, 60, 80 or 100 %, needed when fan_forced is true',
    ])
  })

  it.each([10, 101, -20, 1, 30])('refuses a mode of %i %', async (fan_mode) => {
    const { status, body } = await power.post('fan', { fan_forced: true, fan_mode })
    expect([status, body?.['message']]).toEqual([422, `fan_mode is not allowed: 0, 20, 40, 60, 80 or 100 %, not ${fan_mode}`])
  })

  it('is automatic again after a reset, with the measurement off', async () => {
    await power.set('fan', { fan_forced: true, fan_mode: 60 })
    await power.set('fan/rpm', { measurement_enabled: true })
    await power.set('reset', { reset: 'yes' })
    expect(await power.read('fan')).toMatchObject({ fan_forced: false, fan_setting_mode: 0 })
    expect(await power.read('fan/rpm')).toMatchObject({ enabled: false })
  })
})
