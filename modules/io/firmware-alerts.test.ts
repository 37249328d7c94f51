import { type Connection, type Element, resistor, sineWave, source, squareWave } from '@slotwire/twin'
import { describe, expect, it } from 'vitest'
import { BareIoModule, powered } from './firmware.testkit.ts'
import { NOTIFICATION_DELAY_MS } from './firmware-announcer.ts'
import { OVERLOAD_MS } from './firmware-guard.ts'
import * as wire from './wire.ts'

const ALERT_MS = OVERLOAD_MS + NOTIFICATION_DELAY_MS

/** The waves around a level that a mean of 300 mA depends on: a pwm of 20 kHz and a sine of 1037 Hz. */
const fastWaves = (ohms: number) => [
  squareWave({ frequencyHz: 20_000, lowVolts: -7, highVolts: 9, ohms: 60 }),
  sineWave({ frequencyHz: 1037, amplitudeVolts: 5, ohms }),
]
/** A square wave of 10 Hz from an outside source. */
const slowWave = (lowVolts: number, duty: number, ohms = 0.001) =>
  squareWave({ frequencyHz: 10, lowVolts, highVolts: 5.15, duty, ohms })

describe('high_current_alert', () => {
  it('comes 2 ms after a short circuit, is readable 20 ms later, and leaves the pin analog', async () => {
    const io = powered()
    io.output(1, 'high')
    await io.clock.advance(100)
    io.wiring.short('5/1')
    await io.clock.advance(OVERLOAD_MS - 0.001)
    expect(io.milliampere(1)).toBe(1628)
    await io.clock.advance(0.001)
    expect(io.milliampere(1)).toBe(0)
    await io.clock.advance(100)
    expect(io.alertTimes('highCurrentAlert', 1)).toEqual([100 + ALERT_MS])
    expect(io.statusOf(wire.setAnalogThreshold, { pin: 1, millivolt: 50, trigger: 'rising' })).toBe(0)
  })

  it('comes on both pins that drive against each other', async () => {
    const io = powered()
    io.wiring.wire('5/1', '5/2')
    io.output(1, 'low')
    io.output(2, 'high')
    expect(io.milliampere(1)).toBe(Math.round((5.15 / (19 / 6 + 1)) * 1000 + 2))
    await io.clock.advance(100)
    expect(io.alertTimes('highCurrentAlert', 1)).toEqual([ALERT_MS])
    expect(io.alertTimes('highCurrentAlert', 2)).toEqual([ALERT_MS])
    expect(io.value(1)).toEqual(['voltage_millivolt', 0])
    expect(io.value(2)).toEqual(['voltage_millivolt', 0])
  })

  it('comes only above the configured current', async () => {
    const io = powered()
    io.output(1, 'high')
    const full = io.wiring.connect('5/1', resistor({ ohms: 14 }))
    await io.clock.advance(1000)
    expect(io.value(1)).toEqual(['voltage_millivolt', 4200])
    expect(io.milliampere(1)).toBe(302)
    full.disconnect()
    io.wiring.connect('5/1', resistor({ ohms: 13.9 }))
    await io.clock.advance(100)
    expect(io.alertTimes('highCurrentAlert', 1)).toEqual([1000 + ALERT_MS])
  })

  it.each<[string, io: BareIoModule, elements: readonly Element[], ms: number, times: readonly number[]]>([
    ['comes at 306.5 mA on average, with a limit of 300 mA', powered(300, '12_volt'), fastWaves(80.335), 200, [ALERT_MS]],
    ['comes at 300.7 mA on average, with a limit of 300 mA', powered(300, '12_volt'), fastWaves(84.2), 200, [ALERT_MS]],
    ['does not come at 299.6 mA on average, with a limit of 300 mA', powered(300, '12_volt'), fastWaves(85), 200, []],
    ['comes above the current of the pin, below that of its rail', powered(100), [resistor({ ohms: 40 })], 100, [ALERT_MS]],
    ['comes in the first long overload of a slow outside signal', powered(), [slowWave(0, 0.9)], 200, [90 + ALERT_MS]],
    [
      'comes late in the period of several slow signals',
      powered(),
      [slowWave(5, 0.6, 100), slowWave(5, 0.7, 100), slowWave(0, 0.9)],
      200,
      [90 + ALERT_MS],
    ],
    [
      'does not come for a sine that is above the limit for less than 2 ms each time, however often',
      powered(),
      [
        sineWave({ frequencyHz: 101, lowVolts: 2, highVolts: 5.15, ohms: 10 }),
        sineWave({ frequencyHz: 0.37, lowVolts: 5.15, highVolts: 5.16, ohms: 10_000 }),
      ],
      10_000,
      [],
    ],
  ])('%s', async (_, io, elements, ms, times) => {
    io.output(1, 'high')
    for (const element of elements) io.wiring.connect('5/1', element)
    await io.clock.advance(ms)
    expect(io.alertTimes('highCurrentAlert', 1)).toEqual(times)
    expect(io.alerts).toHaveLength(times.length)
  })

  it('comes for a current into a low output, too', async () => {
    const io = powered()
    io.output(1, 'low')
    io.wiring.connect('5/1', source({ volts: 5, ohms: 10 }))
    await io.clock.advance(100)
    expect(io.alertTimes('highCurrentAlert', 1)).toEqual([ALERT_MS])
  })

  it('does not come for an overload of up to 2 ms, even if it repeats', async () => {
    const io = powered()
    io.output(1, 'high')
    const short = io.wiring.short('5/1')
    await io.clock.advance(1.9)
    short.disconnect()
    io.wiring.connect('5/1', squareWave({ frequencyHz: 100, lowVolts: 0, highVolts: 5.15, duty: 0.81 }))
    await io.clock.advance(10_000)
    expect(io.alerts).toEqual([])
    expect(io.value(1)[1]).toBe(5150)
  })

  it('comes for an overload that begins after hundreds of short ones', async () => {
    const io = powered()
    io.output(1, 'high')
    // Each overload of the first source takes 1.5 ms. The second one adds a long one at 1.5 s, far beyond what is looked at in one go.
    io.wiring.connect('5/1', squareWave({ frequencyHz: 333, lowVolts: 0, highVolts: 5.15, duty: 0.5, ohms: 8 }))
    io.wiring.connect('5/1', squareWave({ frequencyHz: 1 / 3, lowVolts: 0, highVolts: 5.15, duty: 0.5, ohms: 8 }))
    await io.clock.advance(1499)
    expect(io.alerts).toEqual([])
    await io.clock.advance(100)
    expect(io.alertTimes('highCurrentAlert', 1)).toHaveLength(1)
  })

  it('keeps counting when the load changes but still overloads the pin', async () => {
    const io = powered()
    io.output(1, 'high')
    io.wiring.connect('5/1', resistor({ ohms: 5 }))
    await io.clock.advance(1.5)
    io.wiring.connect('5/1', resistor({ ohms: 5 }))
    await io.clock.advance(100)
    expect(io.alertTimes('highCurrentAlert', 1)).toEqual([ALERT_MS])
  })

  it('depends on the mean over the period for a fast pwm', async () => {
    const io = powered()
    io.wiring.connect('5/1', resistor({ ohms: 1 }))
    // 1.236 A for a fifth of the time are 247 mA, for a quarter 309 mA.
    io.pwm(1, 0, 200, 1000)
    await io.clock.advance(1000)
    expect(io.alerts).toEqual([])
    io.pwm(1, 0, 250, 1000)
    await io.clock.advance(100)
    expect(io.alertTimes('highCurrentAlert', 1)).toEqual([1000 + ALERT_MS])
  })

  it('depends on the current while high for a slow pwm', async () => {
    const io = powered()
    io.wiring.connect('5/1', resistor({ ohms: 1 }))
    // 1.9 of 20 ms, then 2.1 of 20 ms.
    io.pwm(1, 47_999, 1, 20)
    await io.clock.advance(1000)
    expect(io.alerts).toEqual([])
    io.pwm(1, 4799, 21, 200)
    await io.clock.advance(100)
    expect(io.alertTimes('highCurrentAlert', 1)).toEqual([1000 + ALERT_MS])
  })
})

describe('under_voltage_alert', () => {
  it.each([
    { rail: '5_volt', ohms: 14, minimum: 4.2, limit: 300 },
    { rail: '12_volt', ohms: 21, minimum: 10.5, limit: 500 },
  ] as const)('comes below $minimum V, but not at the full load of $rail', async ({ rail, ohms, minimum, limit }) => {
    const io = powered(limit, rail)
    io.output(1, 'high')
    const load = io.wiring.connect('5/1', resistor({ ohms }))
    await io.clock.advance(1000)
    expect(io.value(1)).toEqual(['voltage_millivolt', minimum * 1000])
    expect(io.alerts).toEqual([])
    load.disconnect()
    io.wiring.connect('5/1', resistor({ ohms: ohms * 0.9 }))
    await io.clock.advance(100)
    expect(io.alertTimes('underVoltageAlert', 1)).toEqual([1000 + ALERT_MS])
    expect(io.alertTimes('highCurrentAlert', 1)).toEqual([1000 + ALERT_MS])
    expect(io.milliampere(1)).toBe(0)
  })

  it('comes alone when the rail of a high output is switched off', async () => {
    const io = powered(500, '12_volt')
    io.output(1, 'high')
    io.output(2, 'low')
    await io.clock.advance(50)
    io.rails.switchRail('12v', false)
    expect(io.value(1)).toEqual(['voltage_millivolt', 0])
    await io.clock.advance(100)
    expect(io.alerts).toEqual([
      { atMs: 50 + ALERT_MS, customVoltageAlert: 0, highCurrentAlert: 0, underVoltageAlert: 1, highVoltageAlert: 0 },
    ])
  })

  it('does not come when the rail is back within 2 ms', async () => {
    const io = powered(500, '12_volt')
    io.output(1, 'high')
    io.rails.switchRail('12v', false)
    await io.clock.advance(1.9)
    io.rails.switchRail('12v', true)
    await io.clock.advance(100)
    expect(io.alerts).toEqual([])
    expect(io.value(1)).toEqual(['voltage_millivolt', 12_050])
  })

  it('does not come for switching or for a low output', async () => {
    const io = powered()
    for (let times = 0; times < 10; times++) {
      io.output(1, times % 2 === 0 ? 'high' : 'low')
      await io.clock.advance(10)
    }
    io.pwm(2, 0, 100, 48_000)
    io.pwm(3, 47_999, 10_000, 60_000)
    await io.clock.advance(60_000)
    expect(io.alerts).toEqual([])
  })
})

describe('high_voltage_alert', () => {
  it.each([
    { rail: '5_volt', spared: 5.65, limit: 300 },
    { rail: '12_volt', spared: 12.55, limit: 500 },
  ] as const)('comes above the rail by more than 0.5 V while the pin is driven from $rail', async ({ rail, spared, limit }) => {
    const io = powered(limit, rail)
    io.output(1, 'high')
    io.wiring.connect('5/1', source({ volts: spared - 0.01, ohms: 0.01 }))
    await io.clock.advance(100)
    expect(io.alerts).toEqual([])
    io.wiring.connect('5/1', source({ volts: spared + 0.1, ohms: 0.001 }))
    expect(io.milliampere(1)).toBe(0)
    await io.clock.advance(100)
    expect(io.alertTimes('highVoltageAlert', 1)).toEqual([100 + NOTIFICATION_DELAY_MS])
  })

  it.each(['analog', 'digital'] as const)('comes above 25 V on a pin that is %s, and leaves it analog', async (mode) => {
    const io = new BareIoModule()
    io.mode(1, mode)
    const spared = io.wiring.connect('5/1', source({ volts: 25 }))
    await io.clock.advance(100)
    expect(io.alerts).toEqual([])
    spared.disconnect()
    io.wiring.connect('5/1', source({ volts: 25.1 }))
    await io.clock.advance(100)
    expect(io.alertTimes('highVoltageAlert', 1)).toEqual([120])
    expect(io.value(1)).toEqual(['voltage_millivolt', 25_000])
  })

  it('comes once for a constant voltage, and again for a pin that is configured under it', async () => {
    const io = new BareIoModule()
    io.wiring.connect('5/1', source({ volts: 30 }))
    await io.clock.advance(10_000)
    expect(io.alertTimes('highVoltageAlert', 1)).toEqual([20])
    io.mode(1, 'digital')
    expect(io.value(1)).toEqual(['voltage_millivolt', 25_000])
    await io.clock.advance(10_000)
    expect(io.alertTimes('highVoltageAlert', 1)).toEqual([20, 10_020])
  })

  it('comes at the start for a voltage that is present already', async () => {
    const io = new BareIoModule()
    io.firmware.reset()
    io.wiring.connect('5/1', source({ volts: 30 }))
    await io.clock.advance(100)
    expect(io.alerts).toEqual([])
    io.firmware.start?.()
    await io.clock.advance(100)
    expect(io.alertTimes('highVoltageAlert', 1)).toEqual([120])
  })

  it('comes for a pulse of 50 µs, and once a second if it repeats', async () => {
    const io = new BareIoModule()
    io.wiring.connect('5/1', squareWave({ frequencyHz: 100, lowVolts: 0, highVolts: 30, duty: 0.005, phaseDegrees: -180 }))
    await io.clock.advance(3000)
    expect(io.alertTimes('highVoltageAlert', 1)).toEqual([25, 1025, 2025])
  })

  it('comes once a second while the voltage comes and goes', async () => {
    const io = new BareIoModule()
    io.wiring.connect('5/1', squareWave({ frequencyHz: 2.5, lowVolts: 0, highVolts: 30, duty: 0.5 }))
    await io.clock.advance(5000)
    const times = io.alertTimes('highVoltageAlert', 1)
    expect(times.length).toBeGreaterThanOrEqual(4)
    for (const [index, atMs] of times.slice(1).entries()) expect(atMs - (times[index] as number)).toBeGreaterThanOrEqual(1000)
  })

  it.each<[string, changesMs: readonly number[], times: readonly number[]]>([
    ['again at the end of a second if the voltage is back to stay', [0, 300, 500, 5300, 5500], [20, 1020, 5520]],
    ['once for a pulse that is over at the end of the second', [0, 0, 200, 400], [20]],
    ['again if the voltage is back after 999 ms', [0, 0, 999], [20, 1020]],
    ['again if the voltage is back after 1000 ms', [0, 0, 1000], [20, 1020]],
    ['again if the voltage is back after 1001 ms', [0, 0, 1001], [20, 1021]],
  ])('comes %s: 30 V come and go at %j ms', async (_, changesMs, times) => {
    const io = new BareIoModule()
    let voltage: Connection | undefined
    for (const atMs of changesMs) {
      await io.clock.advance(atMs - io.clock.now())
      voltage?.disconnect()
      voltage = voltage === undefined ? io.wiring.connect('5/1', source({ volts: 30 })) : undefined
    }
    await io.clock.advance(5000)
    expect(io.alertTimes('highVoltageAlert', 1)).toEqual(times)
  })

  it('comes for a voltage that a low output held down until its current disabled it', async () => {
    const io = powered()
    io.output(1, 'low')
    io.wiring.connect('5/1', source({ volts: 30, ohms: 10 }))
    await io.clock.advance(100)
    expect(io.alertTimes('highCurrentAlert', 1)).toEqual([ALERT_MS])
    expect(io.alertTimes('highVoltageAlert', 1)).toEqual([ALERT_MS])
  })

  it('disables a driven pin when another pushes it up', async () => {
    const io = powered()
    io.send(wire.setPowerConfig, {
      config: [1, 2, 3, 4, 5, 6].map((pin) => ({ rail: pin === 2 ? '12_volt' : '5_volt', current_milliampere: 300 }) as const),
    })
    io.output(1, 'low')
    io.output(2, 'low')
    io.wiring.wire('5/1', '5/2')
    io.output(1, 'high')
    io.output(2, 'high')
    await io.clock.advance(100)
    expect(io.alertTimes('highVoltageAlert', 1)).toEqual([NOTIFICATION_DELAY_MS])
    expect(io.alertTimes('highVoltageAlert', 2)).toEqual([])
    expect(io.value(2)).toEqual(['voltage_millivolt', 12_050])
  })
})
