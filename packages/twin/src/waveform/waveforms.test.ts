import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cases } from '../../../../tools/tests/generated-cases.mjs'
import { toyBench } from '../bench/bench.testkit.ts'
import {
  button,
  capacitor,
  coil,
  type Element,
  noise,
  resistor,
  sineWave,
  source,
  squareWave,
  triangleWave,
} from '../circuit/elements/index.ts'
import { readVcd } from './read-vcd.testkit.ts'
import { formatCsv, formatVcd, WaveformRecorder } from './waveform-writer.ts'

/** A bench with two traced pins, and what a recorder of them writes. */
function traced(format: 'vcd' | 'csv' = 'vcd') {
  const { bench, clock } = toyBench()
  const pins = [bench.pin(3, 1), bench.pin(5, 2)] as const
  for (const pin of pins) pin.connect(resistor(1_000_000))
  const pieces: string[] = []
  const recorder = new WaveformRecorder(pins, { format, write: (text) => pieces.push(text) })
  return { bench, clock, pins, traces: pins.map((pin) => pin.record()), recorder, pieces }
}

/** The changes of a signal, in ms. */
const changes = (text: string, name: string) =>
  readVcd(text)
    .signals.get(name)
    ?.map(([atNs, value]) => [atNs / 1e6, value])

/** The voltage that straight lines between the points of a signal give. */
function onLines(points: readonly (readonly [atNs: number, value: number])[], atNs: number): number {
  const after = points.findIndex(([at]) => at > atNs)
  const [[fromNs, from] = [0, 0], [toNs, to] = [0, 0]] = [points.at(after - 1), points.at(after)]
  return after < 1 ? from : from + ((to - from) * (atNs - fromNs)) / (toNs - fromNs)
}

describe('formatVcd', () => {
  it('writes real volts and the level of each pin, in nanoseconds, named by slot and pin', async () => {
    const { clock, pins, traces } = traced()
    await clock.advance(10)
    const high = pins[0].connect(source(5))
    await clock.advance(0.05)
    high.disconnect()
    await clock.advance(9.95)
    expect(formatVcd(traces)).toBe(`$timescale 1 ns $end
$scope module slot3 $end
$var wire 1 ! pin1 $end
$var real 64 " pin1_volts $end
$upscope $end
$scope module slot5 $end
$var wire 1 # pin2 $end
$var real 64 $ pin2_volts $end
$upscope $end
$enddefinitions $end
#0
$dumpvars
0!
r0 "
0#
r0 $
$end
#9999999
r0 "
#10000000
1!
r5 "
#10049999
r5 "
#10050000
0!
r0 "
#20000000
`)
  })

  it.each<[string, Element, number, readonly (readonly number[])[]]>([
    [
      'every edge of a square wave',
      squareWave(100, { lowVolts: 0, highVolts: 5, ohms: 1 }),
      12,
      [
        [0, 1],
        [5, 0],
        [10, 1],
      ],
    ],
    [
      'a pulse of 50 ns in each millisecond',
      squareWave(1000, { lowVolts: 0, highVolts: 5, duty: 0.000_05 }),
      1.5,
      [
        [0, 1],
        [0.000_05, 0],
        [1, 1],
        [1.000_05, 0],
      ],
    ],
    // It rises from 0 V at 0 to 5 V at 5 ms: high above 2.5 V, low below 1.5 V.
    [
      'where a slope crosses the bounds',
      triangleWave(100, { lowVolts: 0, highVolts: 5 }),
      12,
      [
        [0, 0],
        [2.5, 1],
        [8.5, 0],
      ],
    ],
    // 2.5 V + 2.5 V × sin: below 1.5 V after 180° + 23.578°, above 2.5 V again at 360°.
    [
      'where a sine crosses the bounds',
      sineWave(50, { lowVolts: 0, highVolts: 5 }),
      25,
      [
        [0, 0],
        [0, 1],
        [11.31, 0],
        [20, 1],
      ],
    ],
  ])('shows as a level %s', async (_, element, ms, levels) => {
    const { clock, pins, traces } = traced()
    pins[0].connect(element)
    await clock.advance(ms)
    // The second of two values at one moment counts.
    const last = (all: readonly (readonly number[])[]) => all.filter(([atMs], index) => atMs !== all[index + 1]?.[0])
    const seen = last(changes(formatVcd(traces), 'slot3.pin1') ?? [])
    expect(seen.map(([, high]) => high)).toEqual(last(levels).map(([, high]) => high))
    seen.forEach(([atMs], index) => expect(atMs).toBeCloseTo(last(levels)[index]?.[0] ?? -1, 1.5))
  })

  it.each<[string, readonly Element[]]>([
    ['a sine', [sineWave(50, { lowVolts: -2, highVolts: 9 })]],
    ['a capacitor that a square wave charges', [capacitor(1e-6), squareWave(70, { lowVolts: 0, highVolts: 12, ohms: 1000 })]],
    ['a coil that is switched off', [coil(100, { henry: 0.1 }), squareWave(30, { lowVolts: 0, highVolts: 12, ohms: 10 })]],
    ['a kick that the input cuts off', [coil(100, { henry: 1, suppression: 50 }), button({ volts: 24, pressed: true })]],
    [
      'noise and a sine',
      [noise(1000, { lowVolts: 0, highVolts: 1, ohms: 100 }), sineWave(333, { amplitudeVolts: 4, ohms: 100 })],
    ],
  ])('stays with its straight lines within 10 mV of %s', async (_, elements) => {
    const { clock, pins, traces } = traced()
    const connections = elements.map((element) => pins[0].connect(element))
    const looks: (readonly [atNs: number, volts: number])[] = []
    for (let look = 0; look < 400; look++) {
      await clock.advance(0.237)
      if (look === 200 && elements.some(({ kind }) => kind === 'button')) connections[1]?.set({ pressed: false })
      else looks.push([Math.round(clock.now() * 1e6), pins[0].volts])
    }
    await clock.advance(1)
    const points = readVcd(formatVcd(traces)).signals.get('slot3.pin1_volts') ?? []
    for (const [atNs, volts] of looks) expect(Math.abs(onLines(points, atNs) - volts)).toBeLessThanOrEqual(0.0101)
    expect(points.length).toBeLessThan(4000)
  })

  it('ends with the time, and begins where all traces have data', async () => {
    const { clock, pins, traces } = traced()
    await clock.advance(5)
    const later = pins[1].record()
    await clock.advance(5)
    const { signals, endNs } = readVcd(formatVcd([...traces.slice(0, 1), later]))
    expect([[...signals.values()].map(([first]) => first?.[0]), endNs]).toEqual([[5e6, 5e6, 5e6, 5e6], 10e6])
  })

  it('refuses no trace, times without data, and more than a million changes', async () => {
    const { clock, pins, traces } = traced()
    pins[0].connect(squareWave(10_000_000, { lowVolts: 0, highVolts: 5 }))
    await clock.advance(100)
    expect(() => formatVcd([])).toThrow(new RangeError('there is no trace: pass at least one'))
    expect(() => formatVcd(traces, { fromMs: -1 })).toThrow(new RangeError('fromMs is out of range: 0…100 ms, not -1'))
    expect(() => formatVcd(traces, { toMs: 101 })).toThrow(new RangeError('toMs is out of range: 0…100 ms, not 101'))
    expect(() => formatVcd(traces)).toThrow(
      new RangeError('the voltages change at more than 1000000 moments in 100 ms: choose a shorter time'),
    )
    expect(() => formatVcd(traces, { maxMoments: 100 })).toThrow('more than 100 moments')
    expect(readVcd(formatVcd(traces, { fromMs: 99.999 })).signals.get('slot3.pin1')).toHaveLength(20)
  })
})

it('formatCsv has a row with all values at each change, and at the end', async () => {
  const { clock, pins, traces } = traced()
  await clock.advance(10)
  pins[0].connect(source(5))
  await clock.advance(0.05)
  pins[1].connect(source(-1.5))
  await clock.advance(9.95)
  expect(formatCsv(traces)).toBe(`seconds,slot3.pin1,slot3.pin1_volts,slot5.pin2,slot5.pin2_volts
0.000000000,0,0,0,0
0.009999999,0,0,0,0
0.010000000,1,5,0,0
0.010049999,1,5,0,0
0.010050000,1,5,0,-1.5
0.020000000,1,5,0,-1.5
`)
})

describe('WaveformRecorder', () => {
  it.each(['vcd', 'csv'] as const)('writes as %s what the formatted traces say, over thousands of changes', async (format) => {
    const { clock, pins, traces, recorder, pieces } = traced(format)
    const connections = pins.map((pin) => pin.connect(source(0)))
    for (let round = 1; round <= 900; round++) {
      await clock.advance(1)
      connections[round % 2]?.set({ volts: round / 100 })
    }
    await recorder.close()
    await recorder.close()
    expect(pieces.join('')).toBe((format === 'vcd' ? formatVcd : formatCsv)(traces))
    connections[0]?.set({ volts: 1 })
    await recorder.flush()
    expect(pieces.join('')).toBe((format === 'vcd' ? formatVcd : formatCsv)(traces, { toMs: clock.now() }))
  })

  it('keeps the bounds of its memory: a chunk has some 64 kB, and old changes are forgotten', async () => {
    const { clock, pins, recorder, pieces } = traced()
    const connection = pins[0].connect(source(0))
    for (let round = 1; round <= 20_000; round++) {
      await clock.advance(1)
      connection.set({ volts: round % 7 })
    }
    await recorder.close()
    expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(70_000)
    expect(readVcd(pieces.join('')).signals.get('slot3.pin1_volts')?.length).toBe(39_999)
  })

  it('throws at its end what writing has thrown, and disturbs no change of the wiring', async () => {
    const { bench, clock } = toyBench()
    const write = (): never => {
      throw new Error('no space')
    }
    const recorder = new WaveformRecorder([bench.pin(3, 1)], { format: 'csv', write })
    const connection = bench.pin(3, 1).connect(squareWave(1_000_000, { lowVolts: 0, highVolts: 5 }))
    for (let round = 0; round < 600; round++) {
      await clock.advance(1)
      connection.set({ duty: 0.1 + (round % 5) / 10 })
    }
    await expect(recorder.close()).rejects.toThrow('no space')
  })

  it('lets others have their turn while it writes much, and keeps what happens meanwhile', async () => {
    const { bench, clock } = toyBench()
    const pieces: string[] = []
    const [pin] = [bench.pin(3, 1)]
    const recorder = new WaveformRecorder([pin], { format: 'vcd', write: (text) => pieces.push(text) })
    const trace = pin.record({ changes: 10_000 })
    const wave = pin.connect(squareWave(1_000_000, { lowVolts: 0, highVolts: 5 }))
    await clock.advance(100)
    let turns = 0
    const flushed = recorder.flush()
    const others = (async () => {
      // More changes than a trace of the recorder keeps.
      for (; turns < 700; turns++) {
        wave.set({ duty: 0.2 + (turns % 3) / 10 })
        await clock.advance(0.01)
      }
    })()
    await Promise.all([flushed, others])
    await recorder.close()
    expect(pieces.join('') === formatVcd([trace])).toBe(true)
  })

  it('writes nothing after an abort, also in the middle of a fast wave', async () => {
    const stop = new AbortController()
    const { bench, clock } = toyBench()
    let written = 0
    const write = (): void => {
      written++
      stop.abort()
    }
    const recorder = new WaveformRecorder([bench.pin(3, 1)], { format: 'vcd', write, signal: stop.signal })
    bench.pin(3, 1).connect(squareWave(1_000_000, { lowVolts: 0, highVolts: 5 }))
    await clock.advance(3_600_000)
    await recorder.close()
    expect(written).toBe(1)
  })
})

it('any changes of the wiring are the same in the file of a recorder, in that of traces, and at the pin', () => {
  const step = fc.record({
    ms: fc.double({ min: 0, max: 20, noNaN: true }),
    volts: fc.integer({ min: -10, max: 30 }),
    pin: fc.nat({ max: 1 }),
  })
  return fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
      const { clock, pins, traces, recorder, pieces } = traced()
      const connections = pins.map((pin) => pin.connect(source(0, { ohms: 1000 })))
      for (const { ms, volts, pin } of steps) {
        connections[pin]?.set({ volts })
        await clock.advance(ms)
      }
      const ends = pins.map(({ volts }) => Number(volts.toFixed(6)))
      await clock.advance(1)
      await recorder.close()
      const text = formatVcd(traces)
      expect(pieces.join('')).toBe(text)
      const { signals } = readVcd(text)
      expect(['slot3.pin1_volts', 'slot5.pin2_volts'].map((name) => signals.get(name)?.at(-1)?.[1])).toEqual(ends)
    }),
    { numRuns: cases(20) },
  )
})
