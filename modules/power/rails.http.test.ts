import type { Rail } from '@slotwire/core'
import { resistor } from '@slotwire/twin'
import { expect, it } from 'vitest'
import { describeDevice } from '../../tests/device/device.testkit.ts'
import { allPins } from '../io/pin-story.testkit.ts'

/** A slot without a module, with a settable draw. */
const LOAD_SLOT = 6
const QUIET = { under_voltage_alert: false, high_voltage_alert: false, high_current_alert: false, custom_voltage_alert: false }

describeDevice('the 12 V rail and the io pins on it', (device) => {
  const power = device.module('power', 1)
  const [io, other] = [device.module('io', 3), device.module('io', 5)]
  const volts = async (pin: number) => {
    const { pins } = (await io.read('input/values', { 'cache-control': 'no-cache' })) as { pins: { value: number }[] }
    return pins[pin - 1]?.value
  }
  const high = async () => {
    await io.set('power-management', allPins('12_volt', 100))
    for (const pin of [1, 2]) await io.set('output/state', { pin, state: 'high' })
    expect(await volts(1)).toBe(12_050)
  }

  it('sag a little: the pins follow, nothing is counted and no pin is disabled', async () => {
    await high()
    device.chassis.rails.setVoltageOffset('12v', -600)
    await device.advance(1000)
    expect(await volts(1)).toBe(11_450)
    expect(await io.read('notification/1')).toEqual(QUIET)
    expect((await power.read('protectionlog'))['opp_protection_cnt']).toBe(0)
    device.chassis.rails.setVoltageOffset('12v', 0)
    expect(await volts(1)).toBe(12_050)
  })

  it('brown out: counted, off for a second, under_voltage_alert on every high output after 22 ms, no restart', async () => {
    await high()
    await io.set('output/state', { pin: 2, state: 'low' })
    const sessions = [await io.session(), await other.session(), await power.session()]
    device.chassis.rails.setVoltageOffset('12v', -1000)
    await device.advance(4)
    expect((await power.read('protectionlog'))['uvp_cnt_12v']).toBe(0)
    expect(await volts(1)).toBe(11_050)
    await device.advance(1)
    device.chassis.rails.setVoltageOffset('12v', 0)
    expect(await power.read('protectionlog')).toMatchObject({ uvp_cnt_12v: 1, opp_protection_cnt: 1 })
    expect(await power.read('stats')).toMatchObject({ voltage_12v: 0, current_12v: 0 })
    await device.advance(21)
    expect(await io.read('notification/1')).toEqual(QUIET)
    await device.advance(2)
    expect(await io.read('notification/1')).toEqual({ ...QUIET, under_voltage_alert: true })
    expect(await io.read('notification/2')).toEqual(QUIET)
    await device.advance(976)
    expect((await power.read('stats'))['voltage_12v']).toBe(0)
    await device.advance(2)
    expect((await power.read('stats'))['voltage_12v']).toBeGreaterThan(11_300)
    // The pin stays disabled until it is driven again.
    expect(await volts(1)).toBe(0)
    await io.set('output/state', { pin: 1, state: 'high' })
    expect(await volts(1)).toBe(12_050)
    expect([await io.session(), await other.session(), await power.session()]).toEqual(sessions)
  })

  it("are switched off when the pins together exceed the rail's limit, though each is within its own", async () => {
    await power.set('limits', { limit_3v3: 5949, limit_5v0: 4949, limit_12v: 150 })
    await high()
    // 12.05 V / (130 + 3.1) Ω = 90.5 mA each, and 2 mA.
    const loads = [1, 2].map((pin) => device.chassis.wiring.connect(`3/${pin}`, resistor({ ohms: 130 })))
    expect((await power.read('stats'))['current_12v']).toBe(10 + 2 * 90.5 + 2 * 2)
    await device.advance(5)
    expect(await power.read('protectionlog')).toMatchObject({ ocp_cnt_12v: 1, opp_protection_cnt: 1 })
    await device.advance(30)
    for (const pin of [1, 2]) expect(await io.read(`notification/${pin}`)).toEqual({ ...QUIET, under_voltage_alert: true })
    // Without the pins the load is gone: the rail returns and stays on.
    await device.advance(5000)
    expect(await power.read('protectionlog')).toMatchObject({ ocp_cnt_12v: 1, uvp_cnt_12v: 0 })
    expect((await power.read('stats'))['voltage_12v']).toBeGreaterThan(11_300)
    for (const load of loads) load.disconnect()
  })

  it('are not affected by a short circuit at one pin, which is off before the supply notices', async () => {
    await high()
    device.chassis.wiring.short('3/1')
    await device.advance(100)
    expect(await io.read('notification/1')).toEqual({ ...QUIET, high_current_alert: true, under_voltage_alert: true })
    expect(await io.read('notification/2')).toEqual(QUIET)
    expect(await volts(2)).toBe(12_050)
    expect((await power.read('protectionlog'))['opp_protection_cnt']).toBe(0)
  })
})

describeDevice('a protection of 3V3 or 5V0', (device) => {
  const power = device.module('power', 1)
  const [bmc, io] = [device.module('bmc', 0), device.module('io', 5)]
  const offset = (rail: Rail, millivolt: number) => () => device.chassis.rails.setVoltageOffset(rail, millivolt)
  const load = (rail: Rail, milliampere: number) => () =>
    device.chassis.rails.setDraw(LOAD_SLOT, { '3v3': 0, '5v0': 0, '12v': 0, [rail]: milliampere })

  it.each([
    ['ovp_cnt_3v3', offset('3v3', 130), offset('3v3', 0)],
    ['uvp_cnt_3v3', offset('3v3', -90), offset('3v3', 0)],
    ['ocp_cnt_3v3', load('3v3', 5500), load('3v3', 0)],
    ['ovp_cnt_5v0', offset('5v0', 100), offset('5v0', 0)],
    ['uvp_cnt_5v0', offset('5v0', -560), offset('5v0', 0)],
    ['ocp_cnt_5v0', load('5v0', 4500), load('5v0', 0)],
  ] as const)('counts once in %s and restarts the whole device: 502, then new sessions', async (counter, begin, end) => {
    const before = [await bmc.session(), await power.session(), await io.session()]
    begin()
    await device.advance(4)
    expect((await io.get('input/values')).status).toBe(200)
    await device.advance(20)
    end()
    for (const module of [bmc, power, io]) expect((await module.get('descriptor')).status).toBe(502)
    await device.advance(3500)
    const log = await power.read('protectionlog')
    expect(log).toMatchObject({ [counter]: 1, opp_protection_cnt: 1 })
    const after = [await bmc.session(), await power.session(), await io.session()]
    for (const [index, session] of after.entries()) {
      expect(session).toMatch(/^[A-Z0-9]{64}$/)
      expect(session).not.toBe(before[index])
    }
  })
})
