import { describe, expect, it } from 'vitest'
import { HandlerHarness } from '../../tests/device/handlers.testkit.ts'
import { COUNTERS } from './firmware-counters.ts'
import { powerService } from './service.ts'
import { FanControlResult } from './wire.ts'

const success = { status: 'success' }
const bench = (script: Readonly<Record<string, unknown>> = {}) => new HandlerHarness(powerService, script)

it('GET protectionlog adds up the counters itself: the module’s own sum stops at 65535', async () => {
  const found = Object.fromEntries(COUNTERS.map((name, index) => [name, index === 0 ? 65_535 : index]))
  const power = bench({ OPP_CNT_STATUS: { sum: 65_535, ...found } })
  expect(await power.call('getProtectionLog')).toEqual({
    opp_protection_cnt: 65_535 + 55,
    ovp_cnt_3v3: 65_535,
    uvp_cnt_3v3: 1,
    ovp_cnt_5v0: 2,
    uvp_cnt_5v0: 3,
    ovp_cnt_12v: 4,
    uvp_cnt_12v: 5,
    ocp_cnt_3v3: 6,
    ocp_cnt_5v0: 7,
    ocp_cnt_12v: 8,
    pmc_temperature: 9,
    total_power_overload: 10,
  })
})

describe('POST limits', () => {
  const body = { limit_3v3: 5000, limit_5v0: 4000, limit_12v: 2000 }

  it('succeeds when all three limits were accepted', async () => {
    const power = bench({ CURRENT_LIMIT: { limit_3v3: true, limit_5v0: true, limit_12v: true } })
    expect(await power.call('setLimits', body)).toEqual(success)
    expect(power.sent()).toEqual([['CURRENT_LIMIT', { limit_3v3: 5000, limit_5v0: 4000, limit_12v: 2000 }]])
  })

  it('names the limits that were not accepted', async () => {
    const power = bench({ CURRENT_LIMIT: { limit_3v3: false, limit_5v0: true, limit_12v: false } })
    await expect(power.call('setLimits', body)).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining('limit_3v3, limit_12v') as string,
    })
  })
})

describe('GET temperature', () => {
  it('uses the divider from 3.0 V and 9.5 steps a degree, rounded to 0.001 °C', async () => {
    const power = bench({ TEMPERATURE_SENSOR: { onBoardMillivolt: 1500, pmcRaw: 400 } })
    expect(await power.call('getTemperature')).toEqual({ on_board_temp: 25, pmc_temp: 42.105 })
  })

  it('reports a module error if no thermistor gives that voltage', async () => {
    const power = bench({ TEMPERATURE_SENSOR: { onBoardMillivolt: 3000, pmcRaw: 400 } })
    await expect(power.call('getTemperature')).rejects.toMatchObject({
      status: 500,
      message: expect.stringContaining('slot 5') as string,
    })
  })
})

describe('POST fan', () => {
  it('forces a mode', async () => {
    const power = bench({ FAN_CONTROL: { result: FanControlResult.ok } })
    expect(await power.call('setFan', { fan_forced: true, fan_mode: 20 })).toEqual(success)
    expect(power.sent()).toEqual([['FAN_CONTROL', { forced: true, mode: 20 }]])
  })

  it('sets mode 0 if fan_mode is missing', async () => {
    const power = bench({ FAN_CONTROL: { result: FanControlResult.ok } })
    await power.call('setFan', { fan_forced: false })
    expect(power.sent().at(-1)).toEqual(['FAN_CONTROL', { forced: false, mode: 0 }])
  })

  it.each([FanControlResult.invalidMode, FanControlResult.forceFailed])('is refused with result %i', async (result) => {
    const power = bench({ FAN_CONTROL: { result } })
    await expect(power.call('setFan', { fan_forced: true, fan_mode: 20 })).rejects.toMatchObject({ code: 'fan-refused' })
  })
})

describe('the speed of the fan', () => {
  it('is read, and its measurement is switched on and off', async () => {
    const power = bench({ FAN_RPM: { enabled: true, rpm: 4990 }, FAN_RPM_CONTROL: { ok: true } })
    expect(await power.call('getFanRpm')).toEqual({ enabled: true, rpm: 4990 })
    expect(await power.call('setFanRpm', { measurement_enabled: false })).toEqual(success)
  })

  it('is refused if the module refuses', async () => {
    const power = bench({ FAN_RPM_CONTROL: { ok: false } })
    await expect(power.call('setFanRpm', { measurement_enabled: true })).rejects.toMatchObject({
      code: 'fan-measurement-refused',
    })
  })
})

it('GET source and GET stats have the fields of the specification', async () => {
  const source = {
    source_3v3: 17_671,
    source_5v0: 22_275,
    source_12v: 28_750,
    source_total: 28_750,
    efficiency_factor_3v3: 90,
    efficiency_factor_5v0: 91,
    efficiency_factor_12v: 100,
  }
  const stats = {
    voltage_3v3: 3300,
    voltage_5v0: 5000,
    voltage_12v: 12_000,
    current_3v3: 1,
    current_5v0: 2,
    current_12v: 3,
    limit_3v3: 5949,
    limit_5v0: 4949,
    limit_12v: 2399,
  }
  const power = bench({ SOURCE: source, VOLTAGE_CURRENT_STATUS: stats })
  expect(await power.call('getSource')).toEqual(source)
  expect(await power.call('getStats')).toEqual(stats)
})

it('GET fan returns the active mode and the one last set', async () => {
  const power = bench({ FAN_STATUS: { forced: false, currentMode: 40, settingMode: 0 } })
  expect(await power.call('getFan')).toEqual({ fan_forced: false, fan_current_mode: 40, fan_setting_mode: 0 })
})
