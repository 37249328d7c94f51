import { source } from '@slotwire/twin'
import { describe, expect, it } from 'vitest'
import { moduleAt, pinsOn, type TestTwin, useTwins } from '../../packages/device/src/twin/twin.testkit.ts'

const twinOn = useTwins()
const supply = (twin: TestTwin) => moduleAt(twin, 'power', 1)
/** The counters above zero. */
async function counted(twin: TestTwin): Promise<Readonly<Record<string, number>>> {
  const all = Object.entries(await supply(twin).figures('protectionlog'))
  return Object.fromEntries(all.filter(([name, count]) => count > 0 && name !== 'opp_protection_cnt'))
}
const alive = async (twin: TestTwin): Promise<number> => (await moduleAt(twin, 'io', 3).get('input/values')).status

describe('a bench rail, over REST', () => {
  it('shows a load in its current, with the losses of the converter, and its voltage drops', async () => {
    const twin = await twinOn()
    const before = await supply(twin).figures('stats')
    twin.bench.rail('5v0').loadMilliampere = 1000
    const after = await supply(twin).figures('stats')
    // 90 % efficiency: 1000 mA of load are 1100 mA; 0.03 mV per mA: 33 mV.
    expect(Number(after['current_5v0']) - Number(before['current_5v0'])).toBe(1100)
    expect(Number(before['voltage_5v0']) - Number(after['voltage_5v0'])).toBe(33)
    expect(after['current_12v']).toBe(before['current_12v'])
    expect(twin.bench.rail('5v0').milliampere).toBeGreaterThan(1000)
  })

  it.each([
    ['3v3', 300, 'ovp_cnt_3v3'],
    ['3v3', -300, 'uvp_cnt_3v3'],
    ['5v0', 500, 'ovp_cnt_5v0'],
    ['5v0', -800, 'uvp_cnt_5v0'],
  ] as const)('counts a shift of %s by %i mV as %s and restarts the device', async (rail, millivolt, counter) => {
    const twin = await twinOn()
    twin.bench.rail(rail).offsetMillivolt = millivolt
    await twin.clock.advance(20)
    expect(await alive(twin)).toBe(502)
    expect(twin.bench.rail(rail).isOn).toBe(false)
    twin.bench.rail(rail).offsetMillivolt = 0
    await twin.clock.advance(4000)
    expect(await counted(twin)).toEqual({ [counter]: 1 })
    expect(await alive(twin)).toBe(200)
  })

  it.each([
    [1500, 'ovp_cnt_12v'],
    [-1500, 'uvp_cnt_12v'],
  ])(
    'counts a shift of 12v by %i mV as %s and switches it off for a second, while the device keeps running',
    async (millivolt, counter) => {
      const twin = await twinOn()
      const rail = twin.bench.rail('12v')
      rail.offsetMillivolt = millivolt
      await twin.clock.advance(20)
      expect([rail.isOn, await counted(twin), await alive(twin)]).toEqual([false, { [counter]: 1 }, 200])
      expect((await supply(twin).figures('stats'))['voltage_12v']).toBe(0)
      rail.offsetMillivolt = 0
      await twin.clock.advance(1000)
      expect([rail.isOn, await alive(twin)]).toEqual([true, 200])
    },
  )

  it.each([
    ['3v3', 'ocp_cnt_3v3', 502],
    ['5v0', 'ocp_cnt_5v0', 502],
    ['12v', 'ocp_cnt_12v', 200],
  ] as const)('counts an overload of %s as %s; then the device responds with %i', async (rail, counter, status) => {
    const twin = await twinOn()
    await supply(twin).set('limits', { limit_3v3: 2000, limit_5v0: 2000, limit_12v: 1000 })
    twin.bench.rail(rail).loadMilliampere = 2100
    await twin.clock.advance(20)
    expect(await alive(twin)).toBe(status)
    twin.bench.rail(rail).loadMilliampere = 0
    await twin.clock.advance(4000)
    expect(await counted(twin)).toMatchObject({ [counter]: 1 })
    expect(await alive(twin)).toBe(200)
  })

  it('restarts the device again and again while the overload stays', async () => {
    const twin = await twinOn()
    twin.bench.rail('5v0').loadMilliampere = 6000
    await twin.clock.advance(10_000)
    twin.bench.rail('5v0').loadMilliampere = 0
    await twin.clock.advance(4000)
    expect((await counted(twin))['ocp_cnt_5v0']).toBeGreaterThan(2)
    expect(await alive(twin)).toBe(200)
  })

  it('raises an alert of a driven pin at 12 V, not of the rail, for a source of 48 V', async () => {
    const twin = await twinOn()
    const io = moduleAt(twin, 'io', 3)
    await io.set('power-management', pinsOn('12_volt', 100))
    await io.set('output/state', { pin: 1, state: 'high' })
    twin.bench.pin(3, 1).connect(source(48, { ohms: 100 }))
    await twin.clock.advance(50)
    expect(await io.read('notification/1')).toMatchObject({ high_voltage_alert: true })
    expect(await counted(twin)).toEqual({})
  })
})

describe('a blocked fan', () => {
  it('stays still at every setting, and turns again when it is free', async () => {
    const twin = await twinOn()
    const power = supply(twin)
    await power.set('fan/rpm', { measurement_enabled: true })
    await power.set('fan', { fan_forced: true, fan_mode: 100 })
    await twin.clock.advance(15_000)
    expect((await power.figures('fan/rpm'))['rpm']).toBeGreaterThan(4000)
    expect(twin.bench.slot(1).defects).toEqual(['fan_blocked'])
    const blocked = twin.bench.slot(1).break('fan_blocked')
    expect(await power.read('fan/rpm')).toEqual({ enabled: true, rpm: 0 })
    expect(await power.read('fan')).toMatchObject({ fan_current_mode: 100 })
    blocked.clear()
    await twin.clock.advance(15_000)
    expect((await power.figures('fan/rpm'))['rpm']).toBeGreaterThan(4000)
  })

  it('makes the supply hotter than a turning fan', async () => {
    const celsius = async (broken: boolean): Promise<number> => {
      const twin = await twinOn()
      await supply(twin).set('fan', { fan_forced: true, fan_mode: 100 })
      twin.bench.rail('5v0').loadMilliampere = 3000
      if (broken) twin.bench.slot(1).break('fan_blocked')
      await twin.clock.advance(300_000)
      return Number((await supply(twin).figures('temperature'))['pmc_temp'])
    }
    expect(await celsius(true)).toBeGreaterThan((await celsius(false)) + 10)
  })
})
