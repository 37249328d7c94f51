import { type Element, motor, noise, sineWave, squareWave, triangleWave } from '@slotwire/twin'
import { describe, expect, it } from 'vitest'
import { counted } from '../../packages/twin/src/circuit/circuit.testkit.ts'
import { BareIoModule, powered } from './firmware.testkit.ts'

const HOUR_MS = 3_600_000

describe('the timers of a pin', () => {
  it('do not run during an hour of a square wave without triggers, in any mode', async () => {
    const io = new BareIoModule()
    for (const pin of [1, 2, 3]) io.wiring.connect(`5/${pin}`, squareWave({ frequencyHz: 100, lowVolts: 0, highVolts: 5 }))
    io.mode(2, 'digital')
    io.mode(3, 'digital')
    io.counter(3, 'enabled')
    await io.clock.advance(HOUR_MS)
    expect(io.timersStarted).toBe(0)
    expect(io.value(3)).toEqual(['frequency_hertz', 100])
  })

  it('do not run during an hour of sines, triangles and noise without triggers, on every pin, in any mode', async () => {
    const io = new BareIoModule()
    for (const pin of [1, 2, 3, 4, 5, 6]) {
      io.wiring.connect(`5/${pin}`, sineWave({ frequencyHz: 50, lowVolts: 0, highVolts: 5, ohms: 10 }))
      io.wiring.connect(`5/${pin}`, triangleWave({ frequencyHz: 70, lowVolts: 0, highVolts: 5, ohms: 10 }))
      io.wiring.connect(`5/${pin}`, noise({ frequencyHz: 1000, lowVolts: 0, highVolts: 5, ohms: 10 }))
    }
    for (const pin of [3, 4, 5, 6]) io.mode(pin, 'digital')
    for (const pin of [5, 6]) io.counter(pin, 'enabled')
    await io.clock.advance(HOUR_MS)
    expect(io.timersStarted).toBe(0)
  })

  it('are two for each report of a slow sine', async () => {
    const io = new BareIoModule()
    io.wiring.connect('5/1', sineWave({ frequencyHz: 1, lowVolts: 0, highVolts: 5 }))
    io.threshold(1, 4000, 'rising')
    await io.clock.advance(60_000)
    expect(io.alerts).toHaveLength(60)
    expect(io.timersStarted).toBeLessThanOrEqual(2 * 60 + 1)
  })

  it('are bounded for fast noise under a trigger that it rarely reaches', async () => {
    const io = new BareIoModule()
    io.wiring.connect('5/1', noise({ frequencyHz: 100_000, lowVolts: 0, highVolts: 5, seed: 2 }))
    io.threshold(1, 4999, 'rising')
    await io.clock.advance(2000)
    // A check every 5 ms, and two timers for each report.
    expect(io.timersStarted).toBeLessThan(401 + 2 * io.alerts.length + io.alerts.length)
  })

  it('do not run for a normal pwm and output, with a square wave on the output', async () => {
    const io = powered()
    io.pwm(1, 0, 1, 49)
    io.pwm(2, 47_999, 10, 20)
    io.output(3, 'high')
    io.wiring.connect('5/3', squareWave({ frequencyHz: 100, lowVolts: 0, highVolts: 5, ohms: 1000 }))
    await io.clock.advance(HOUR_MS)
    expect(io.timersStarted).toBe(0)
    expect(io.alerts).toEqual([])
  })

  it('do not run for triggers that cannot fire', async () => {
    const io = new BareIoModule()
    io.wiring.connect('5/1', squareWave({ frequencyHz: 100, lowVolts: 0, highVolts: 5 }))
    io.wiring.connect('5/1', squareWave({ frequencyHz: 70, lowVolts: 0, highVolts: 5, ohms: 100 }))
    io.threshold(1, 6000, 'rising')
    io.mode(2, 'digital')
    io.interrupt(2, 'pulse')
    await io.clock.advance(HOUR_MS)
    expect(io.timersStarted).toBe(0)
  })

  it.each([squareWave, sineWave, triangleWave])(
    'are bounded by the report interval for a signal of 1 MHz: $kind',
    async (kind) => {
      const io = new BareIoModule()
      io.wiring.connect('5/1', kind({ frequencyHz: 1_000_000, lowVolts: 0, highVolts: 5 }))
      io.mode(1, 'digital')
      io.interrupt(1, 'rising')
      await io.clock.advance(1000)
      expect(io.alerts.length).toBeGreaterThan(190)
      expect(io.alerts.length).toBeLessThanOrEqual(200)
      expect(io.timersStarted).toBeLessThan(500)
    },
  )

  it('are one per debounce time for a debounced signal', async () => {
    const io = new BareIoModule()
    io.wiring.connect('5/1', squareWave({ frequencyHz: 1_000_000, lowVolts: 0, highVolts: 5 }))
    io.mode(1, 'digital')
    io.interrupt(1, 'rising', 1000)
    await io.clock.advance(60_000)
    expect(io.alerts).toHaveLength(60)
    expect(io.timersStarted).toBeLessThan(130)
  })

  it('stay bounded with two fast sources on a driven pin', async () => {
    const io = powered()
    io.output(1, 'high')
    io.wiring.connect('5/1', squareWave({ frequencyHz: 1_000_000, lowVolts: 0, highVolts: 5, ohms: 1000 }))
    io.wiring.connect('5/1', squareWave({ frequencyHz: 770_000, lowVolts: 0, highVolts: 5, ohms: 1000 }))
    await io.clock.advance(60_000)
    expect(io.timersStarted).toBeLessThan(10)
    expect(io.alerts).toEqual([])
  })

  it('stay bounded with two fast sources under a trigger that may fire', async () => {
    const io = new BareIoModule()
    io.wiring.connect('5/1', squareWave({ frequencyHz: 1_000_000, lowVolts: 0, highVolts: 4, ohms: 1000, duty: 0.01 }))
    io.wiring.connect('5/1', squareWave({ frequencyHz: 999_000, lowVolts: 0, highVolts: 4, ohms: 1000, duty: 0.01 }))
    io.threshold(1, 3000, 'rising')
    await io.clock.advance(1000)
    expect(io.timersStarted).toBeLessThan(500)
    expect(io.alerts.length).toBeGreaterThan(0)
  })
})

/** Calls of sources that take about 20 ms. */
const LOOK_STEPS = 20_000
/** The same for up to 16 sources: each of 512 edges asks each of them. */
const MANY_WAVES_STEPS = 300_000

it.each<[string, Element, (io: BareIoModule) => void, number]>([
  ['an interrupt on a square wave', squareWave({ frequencyHz: 1000, lowVolts: 0, highVolts: 5 }), enableInterrupt, 6],
  ['an interrupt on noise', noise({ frequencyHz: 1000, lowVolts: 0, highVolts: 5 }), enableInterrupt, 30],
  ['a threshold on noise', noise({ frequencyHz: 1000, lowVolts: 0, highVolts: 5 }), (io) => io.threshold(1, 2500, 'rising'), 22],
])('a report needs few calls of the sources: %s', async (_name, element, watch, most) => {
  const { source, calls } = counted(element)
  const io = new BareIoModule()
  io.wiring.connect('5/1', { ...element, branch: source })
  watch(io)
  await io.clock.advance(10_000)
  expect(calls() / io.alerts.length).toBeLessThan(most)
})

it.each<[string, number, (io: BareIoModule, pin: number) => void]>([
  ['an analog pin', 1, () => undefined],
  ['a threshold', 1, (io, pin) => io.threshold(pin, 200, 'rising')],
  ['an interrupt', 1, enableInterrupt],
  ['a counter', 1, enableCounter],
  ['an output', 1, (io, pin) => io.output(pin, 'high')],
  ['a fast pwm', 1, (io, pin) => io.pwm(pin, 0, 1, 49)],
  ['six counters, two noises each', 6, enableCounter],
  ['six fast pwms, two noises each', 6, (io, pin) => io.pwm(pin, 0, 1, 49)],
])('one look at four motors and fast noise needs a bounded number of steps: %s', async (_name, pins, use) => {
  const io = new BareIoModule()
  let steps = 0
  let most = 0
  const look = (run: () => void): void => {
    const before = steps
    run()
    most = Math.max(most, steps - before)
  }
  const after = io.clock.after.bind(io.clock)
  io.clock.after = (delayMs, callback) => after(delayMs, () => look(callback))
  io.power()
  for (let pin = 1; pin <= pins; pin++) {
    look(() => use(io, pin))
    for (let count = 0; count < 4; count++) look(() => io.wiring.connect(`5/${pin}`, motor({ ohms: 100 })))
    for (let seed = 0; seed < Math.min(pins, 2); seed++) {
      const element = noise({ frequencyHz: 10_000_000, lowVolts: -5, highVolts: 9, ohms: 100, seed })
      const { source } = counted(element, () => steps++)
      look(() => io.wiring.connect(`5/${pin}`, { ...element, branch: source }))
    }
  }
  for (let reading = 0; reading < 3; reading++) {
    await io.clock.advance(7.1)
    look(() => io.value(1))
    look(() => io.milliampere(1))
  }
  expect(most).toBeLessThan(LOOK_STEPS)
})

function enableCounter(io: BareIoModule, pin: number): void {
  io.mode(pin, 'digital')
  io.counter(pin, 'enabled')
}

function enableInterrupt(io: BareIoModule, pin = 1): void {
  io.mode(pin, 'digital')
  io.interrupt(pin, 'rising')
}

it.each([
  ['without a common period', 16, (index: number) => 10 + index * Math.SQRT2],
  ['with one of more than 64 periods', 16, (index: number) => 10 + 5 * index],
  ['far apart in speed', 16, (index: number) => 10 * 1.9 ** index],
])('one look at many square waves needs a bounded number of steps: %s', (_name, waves, frequencyOf) => {
  const io = new BareIoModule()
  let steps = 0
  enableInterrupt(io)
  for (let index = 0; index < waves; index++) {
    const element = squareWave({ frequencyHz: frequencyOf(index), lowVolts: 0, highVolts: 5, ohms: 100 })
    const { source } = counted(element, () => steps++)
    const before = steps
    io.wiring.connect('5/1', { ...element, branch: source })
    expect(steps - before).toBeLessThan(MANY_WAVES_STEPS)
  }
})
