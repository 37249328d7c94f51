import { ManualClock } from '@slotwire/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cases } from '../../../../tools/tests/generated-cases.mjs'
import type { Element } from '../circuit/elements/index.ts'
import { button, coil, motor, noise, resistor, sineWave, source, squareWave, triangleWave } from '../circuit/elements/index.ts'
import { Wiring } from '../circuit/wiring.ts'
import { PinTrace, type TraceOptions } from './pin-trace.ts'

const INPUT = resistor({ ohms: 1_000_000 })

function traced(options: TraceOptions = {}, ...elements: Element[]) {
  const clock = new ManualClock()
  const wiring = new Wiring(clock)
  const connections = [INPUT, ...elements].map((element) => wiring.connect('3/1', element))
  const trace = new PinTrace(wiring.terminal('3/1'), clock, options)
  return { clock, wiring, trace, connections }
}

/** Lowest and highest voltage of each interval, rounded to the millivolt. */
const levels = (trace: PinTrace, fromMs: number, toMs: number, count: number) =>
  trace.samples(fromMs, toMs, count).map(({ lowVolts, highVolts }) => [round(lowVolts), round(highVolts)])
const round = (volts: number): number => Math.round(volts * 1000) / 1000

describe('PinTrace', () => {
  it('divides a time into equal intervals, with the lowest and the highest voltage of each', async () => {
    const { clock, wiring, trace } = traced()
    await clock.advance(10)
    const connection = wiring.connect('3/1', source(5))
    await clock.advance(20)
    connection.disconnect()
    await clock.advance(10)
    expect(trace.samples(0, 40, 4).map(({ fromMs, toMs }) => [fromMs, toMs])).toEqual([
      [0, 10],
      [10, 20],
      [20, 30],
      [30, 40],
    ])
    expect(levels(trace, 0, 40, 4)).toEqual([
      [0, 0],
      [5, 5],
      [5, 5],
      [0, 0],
    ])
  })

  it('shows a pulse of 50 µs in a second', async () => {
    const { clock, wiring, trace } = traced()
    await clock.advance(500)
    const connection = wiring.connect('3/1', source(3.3))
    await clock.advance(0.05)
    connection.disconnect()
    await clock.advance(499.95)
    expect(levels(trace, 0, 1000, 10)).toEqual([...times(5, [0, 0]), [0, 3.3], ...times(4, [0, 0])])
  })

  it('shows the pulses of a waveform: 50 µs in each second', async () => {
    const { clock, trace } = traced({}, squareWave(1, { lowVolts: 0, highVolts: 5, duty: 0.000_05, phaseDegrees: 180 }))
    await clock.advance(3000)
    expect(levels(trace, 0, 3000, 6)).toEqual([
      [0, 0],
      [0, 5],
      [0, 0],
      [0, 5],
      [0, 0],
      [0, 5],
    ])
  })

  it('shows every bounce of a button', async () => {
    const { clock, trace, connections } = traced({}, button({ bounces: 3, bounceMs: 3 }), resistor(1000, { volts: 5 }))
    await clock.advance(5)
    connections[1]?.set({ pressed: true })
    await clock.advance(20)
    const samples = levels(trace, 5, 8, 6)
    // In each of the three periods the contact is open and closed for half a millisecond, so every interval has both levels.
    expect(samples.every(([low, high]) => low === 0 && Number(high) > 4.9)).toBe(true)
    expect(levels(trace, 9, 25, 1)).toEqual([[0, 0]])
  })

  it.each([
    ['a sine', sineWave(50, { amplitudeVolts: 2, offsetVolts: 3 }), 1, 5],
    ['a triangle', triangleWave(50, { lowVolts: 1, highVolts: 4 }), 1, 4],
    // It rises to 4 V and drops to 1 V at once.
    ['a saw', triangleWave(50, { lowVolts: 1, highVolts: 4, duty: 1 }), 1, 4],
    ['a square of 10 MHz', squareWave(10_000_000, { lowVolts: 1, highVolts: 4 }), 1, 4],
  ])('shows %s from its lowest to its highest voltage', async (_, element, low, high) => {
    const { clock, trace } = traced({}, element)
    await clock.advance(1000)
    expect(levels(trace, 3, 997, 1)).toEqual([[low, high]])
  })

  it('combines two square waves of 5 V behind 1 kΩ to 0, 2.5 and 5 V', async () => {
    const wave = (frequencyHz: number) => squareWave(frequencyHz, { lowVolts: 0, highVolts: 5, ohms: 1000 })
    const { clock, trace } = traced({}, wave(100), wave(Math.PI * 100_000))
    await clock.advance(1000)
    // While the slow wave is high, the fast wave makes 2.5 V and 5 V of it. The load of 1 MΩ lowers this by half a permille.
    expect(levels(trace, 0.5, 4.5, 1)).toEqual([[2.499, 4.998]])
    expect(levels(trace, 5.5, 9.5, 1)).toEqual([[0, 2.499]])
  })

  it('shows the kickback of a coil: 5 mA through a suppressor of 2 kΩ reach 10 V below ground', async () => {
    const { clock, trace, wiring } = traced({}, coil(1000, { henry: 1, suppression: 2 }))
    const connection = wiring.connect('3/1', source(10))
    await clock.advance(100)
    connection.disconnect()
    await clock.advance(100)
    const [, [low = 0] = []] = levels(trace, 0, 200, 2)
    expect(low).toBeCloseTo(-10, 1)
    expect(levels(trace, 190, 200, 1)).toEqual([[expect.closeTo(0, 2), expect.closeTo(0, 2)]])
  })

  it('shows ten fast waveforms on a coil within what small steps give: −5.072…5.164 V', async () => {
    const waves = Array.from({ length: 10 }, (_, index) =>
      squareWave(1000 * Math.sqrt(index + 2), { amplitudeVolts: 5, ohms: 1000 }),
    )
    const { clock, trace } = traced({}, coil(100, { henry: 0.1 }), ...waves)
    await clock.advance(100)
    const [[low = 0, high = 0] = []] = levels(trace, 0, 100, 1)
    expect([low >= -5.073, low < -5, high > 5, high <= 5.165]).toEqual([true, true, true, true])
  })

  it('returns the voltage of a moment for an interval of length 0', async () => {
    const { clock, trace } = traced({}, source(5))
    await clock.advance(10)
    expect(levels(trace, 10, 10, 1)).toEqual([[5, 5]])
  })

  it('keeps noise within its levels, and shows different values over time', async () => {
    const { clock, trace } = traced({}, noise(1000, { lowVolts: 1, highVolts: 2 }))
    await clock.advance(100)
    const samples = levels(trace, 0, 100, 20)
    expect(samples.flat().every((volts) => volts >= 1 && volts <= 2)).toBe(true)
    expect(new Set(samples.map(String)).size).toBeGreaterThan(15)
  })

  it('refuses times before its beginning and after now', async () => {
    const clock = new ManualClock({ startMs: 100 })
    const trace = new PinTrace(new Wiring(clock).terminal('3/1'), clock, {})
    await clock.advance(50)
    expect([trace.sinceMs, trace.untilMs]).toEqual([100, 150])
    expect(() => trace.samples(99, 150, 1)).toThrow(new RangeError('fromMs is out of range: 100…150 ms, not 99'))
    expect(() => trace.samples(120, 151, 1)).toThrow(new RangeError('toMs is out of range: 120…150 ms, not 151'))
    expect(() => trace.samples(120, 110, 1)).toThrow(new RangeError('toMs is out of range: 120…150 ms, not 110'))
    expect(() => trace.samples(100, 150, 0)).toThrow(new RangeError('count is out of range: 1…10000, not 0'))
  })

  it('keeps the last 5 changes if the limit is 5, and drops older ones', async () => {
    const { clock, trace, connections } = traced({ changes: 5 }, source(0))
    for (let volts = 1; volts <= 20; volts++) {
      await clock.advance(10)
      connections[1]?.set({ volts })
    }
    await clock.advance(10)
    expect(trace.sinceMs).toBe(160)
    expect(levels(trace, 160, 210, 5)).toEqual([
      [16, 16],
      [17, 17],
      [18, 18],
      [19, 19],
      [20, 20],
    ])
  })

  it.each([0, 1.5, 100_001])('refuses a limit of %f changes', (changes) => {
    expect(() => traced({ changes })).toThrow(`1…100000, not ${changes}`)
  })

  it.each([
    ['a square wave', squareWave({ lowVolts: 0, highVolts: 5, frequencyHz: 1000, duty: 0.25 }), 1000, 0.25],
    ['a sine wave above 0 V', sineWave({ amplitudeVolts: 2, offsetVolts: 2, frequencyHz: 50 }), 50, 0.5],
    ['a triangle wave', triangleWave({ lowVolts: -1, highVolts: 1, frequencyHz: 10 }), 10, 0.5],
  ])('measures frequency and duty of %s', async (_, wave, hertz, duty) => {
    const { clock, trace } = traced({}, wave)
    await clock.advance(1000)
    expect([trace.frequency(), trace.duty()]).toEqual([expect.closeTo(hertz, 3), expect.closeTo(duty, 3)])
  })

  it('lists the edges at a threshold, and measures only a window', async () => {
    const { clock, wiring, trace } = traced()
    for (const volts of [5, 1]) {
      await clock.advance(10)
      const pulse = wiring.connect('3/1', source(volts))
      await clock.advance(5)
      pulse.disconnect()
    }
    const edgesAt = (window = {}) => trace.edges(window).map(({ atMs, rises }) => (rises ? atMs : -atMs))
    expect([edgesAt(), edgesAt({ thresholdVolts: 0.5 }), edgesAt({ fromMs: 12 })]).toEqual([[10, -15], [10, -15, 25], [-15]])
    expect([trace.frequency(), trace.frequency({ thresholdVolts: 0.5 })]).toEqual([0, expect.closeTo(1000 / 15)])
    expect([trace.duty({ toMs: 20 }), trace.duty({ thresholdVolts: 0.5 })]).toEqual([0.25, expect.closeTo(1 / 3)])
    expect([trace.edges({ fromMs: 10, toMs: 12 }).length, trace.frequency({ fromMs: 10, thresholdVolts: 0.5 })]).toEqual([
      1,
      expect.closeTo(1000 / 15),
    ])
    expect(() => trace.edges({ thresholdVolts: Number.NaN })).toThrow(RangeError)
    expect(() => trace.duty({ toMs: 5 })).toThrow('the voltage is constant: say with thresholdVolts what is high')
    expect(() => trace.edges({ toMs: 100 })).toThrow(RangeError)
  })

  it('keeps its data after stop', async () => {
    const { clock, wiring, trace } = traced({}, source(5))
    await clock.advance(10)
    trace.stop()
    trace.stop()
    wiring.disconnectAll('3/1')
    await clock.advance(10)
    expect(trace.untilMs).toBe(10)
    expect(levels(trace, 0, 10, 1)).toEqual([[5, 5]])
  })

  it('continues over a wire that joins the pin with another one', async () => {
    const { clock, wiring, trace } = traced()
    wiring.connect('5/2', source(12))
    await clock.advance(10)
    const wire = wiring.wire('3/1', '5/2')
    await clock.advance(10)
    wire.disconnect()
    await clock.advance(10)
    expect(levels(trace, 1, 30, 1)).toEqual([[0, 12]])
    expect(levels(trace, 11, 19, 1)).toEqual([[12, 12]])
    expect(levels(trace, 21, 30, 1)).toEqual([[0, 0]])
  })
})

describe('several fast sources', () => {
  const near = (volts: number, span: number): unknown => expect.closeTo(volts, -Math.log10(2 * span))

  it.each<[string, number, readonly Element[]]>([
    ['noise and a motor', 2000, [noise(1000, { amplitudeVolts: 5, ohms: 100 }), motor(100)]],
    ['a sine, a square wave and a coil', 200, [sine(1037, 200), square(20_000, 300), coil(100, { henry: 0.02 })]],
    ['two square waves and a coil', 200, [square(7000, 100), square(11_003, 300), coil(200, { henry: 0.01 })]],
    ['two sines of 2 : 3', 200, [sine(2000, 100), sine(3000, 100)]],
    ['two sines that are nearly 2 : 3', 200, [sine(2000, 100), sine(3000.001, 100)]],
    ['two sines', 200, [sine(1000, 100), sine(1037, 100)]],
    ['three waves', 200, [sine(1000, 100), square(1537, 100), triangleWave(713, { amplitudeVolts: 5, ohms: 100 })]],
    ['a sine and short pulses', 200, [sine(1000, 100), squareWave(4001, { lowVolts: 0, highVolts: 5, duty: 0.01, ohms: 100 })]],
  ])('show the voltages that were, and no others: %s', async (_, ms, elements) => {
    const { clock, wiring, trace } = traced({}, ...elements)
    await clock.advance(ms)
    const { node } = wiring.terminal('3/1')
    const volts = Array.from({ length: ms * 500 }, (_unused, index) => node.voltsAt((index + 0.5) / 500))
    const [lowest, highest] = [volts.reduce((a, b) => Math.min(a, b)), volts.reduce((a, b) => Math.max(a, b))]
    const [{ lowVolts, highVolts } = { lowVolts: 0, highVolts: 0 }] = trace.samples(0, ms, 1)
    // It may miss rare ones.
    const allowed = 0.02 * (highest - lowest)
    expect({ lowVolts, highVolts }).toEqual({ lowVolts: near(lowest, allowed), highVolts: near(highest, allowed) })
  })
})

const wave = fc
  .record({
    kind: fc.constantFrom(sineWave, squareWave, triangleWave),
    // Slow waves, fast waves, and waves whose periods are multiples of each other.
    frequencyHz: fc.oneof(fc.constantFrom(10, 100, 1000, 100_000), fc.double({ min: 0.1, max: 1e6, noNaN: true })),
    amplitudeVolts: fc.double({ min: 0, max: 10, noNaN: true }),
    ohms: fc.integer({ min: 1, max: 10_000 }),
  })
  .map(({ kind, ...options }) => kind(options))

describe('any waveforms on a pin', () => {
  it('never reach a voltage outside the range of the trace', () => {
    const property = fc.asyncProperty(
      fc.array(wave, { maxLength: 6 }),
      fc.double({ min: 1, max: 100, noNaN: true }),
      async (waves, ms) => {
        const { clock, wiring, trace } = traced({}, ...waves, ...(waves.length === 1 ? [coil(100, { henry: 0.1 })] : []))
        await clock.advance(ms)
        const terminal = wiring.terminal('3/1')
        for (const { fromMs, toMs, lowVolts, highVolts } of trace.samples(0, ms, 5)) {
          for (let look = 0; look < 40; look++) {
            const volts = terminal.voltsAt(fromMs + ((look + 0.31) / 40) * (toMs - fromMs))
            // Where the voltage turns between two samples (32 per wave), the trace may miss a peak by half a percent.
            const marginVolts = 0.01 * (highVolts - lowVolts) + 1e-6
            expect(volts).toBeGreaterThanOrEqual(lowVolts - marginVolts)
            expect(volts).toBeLessThanOrEqual(highVolts + marginVolts)
          }
        }
      },
    )
    return fc.assert(property, { numRuns: cases(10) })
  })
})

const sine = (frequencyHz: number, ohms: number): Element => sineWave(frequencyHz, { amplitudeVolts: 5, ohms })
const square = (frequencyHz: number, ohms: number): Element => squareWave(frequencyHz, { amplitudeVolts: 5, ohms })
const times = <Item>(count: number, item: Item): Item[] => Array.from({ length: count }, () => item)
