import { ManualClock } from '@slotwire/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyCharacter } from '../../../core/src/any-character.testkit.ts'
import { parseExposition } from './exposition.testkit.ts'
import { exposition, type MetricFamily } from './metric.ts'
import { EventLoopDelay, LOOP_PROBE_MS } from './process-metrics.ts'

const volts: MetricFamily = {
  name: 'rail_volts',
  help: 'Voltage of a rail.',
  type: 'gauge',
  samples: [
    { labels: { rail: '3v3', slot: 1 }, value: 3.3 },
    { labels: { rail: '5v0', slot: 1 }, value: 5 },
  ],
}

describe('exposition', () => {
  it('writes help, type and samples of each family', () => {
    const text = exposition([volts, { name: 'requests_total', help: 'Requests.', type: 'counter', samples: [{ value: 12 }] }])
    expect(text).toBe(
      [
        '# HELP rail_volts Voltage of a rail.',
        '# TYPE rail_volts gauge',
        'rail_volts{rail="3v3",slot="1"} 3.3',
        'rail_volts{rail="5v0",slot="1"} 5',
        '# HELP requests_total Requests.',
        '# TYPE requests_total counter',
        'requests_total 12',
        '',
      ].join('\n'),
    )
  })

  it('writes a histogram with its suffixes', () => {
    const samples = [
      { suffix: '_bucket', labels: { le: 0.1 }, value: 1 },
      { suffix: '_bucket', labels: { le: '+Inf' }, value: 2 },
      { suffix: '_sum', value: 4.5 },
      { suffix: '_count', labels: {}, value: 2 },
    ]
    expect(exposition([{ name: 'delay_seconds', help: 'Delay.', type: 'histogram', samples }])).toBe(
      [
        '# HELP delay_seconds Delay.',
        '# TYPE delay_seconds histogram',
        'delay_seconds_bucket{le="0.1"} 1',
        'delay_seconds_bucket{le="+Inf"} 2',
        'delay_seconds_sum 4.5',
        'delay_seconds_count 2',
        '',
      ].join('\n'),
    )
  })

  it('escapes backslash, line feed and, in labels only, quotes', () => {
    const text = exposition([
      { name: 'odd', help: 'a\\b\n"c"', type: 'gauge', samples: [{ labels: { text: 'a\\b\n"c"' }, value: 0 }] },
    ])
    expect(text).toBe('# HELP odd a\\\\b\\n"c"\n# TYPE odd gauge\nodd{text="a\\\\b\\n\\"c\\""} 0\n')
  })

  it.each([
    [Number.POSITIVE_INFINITY, '+Inf'],
    [Number.NEGATIVE_INFINITY, '-Inf'],
    [Number.NaN, 'NaN'],
    [1e21, '1e+21'],
    [5e-7, '5e-7'],
  ])('writes %s as %s', (value, text) => {
    expect(exposition([{ name: 'odd', help: 'Odd.', type: 'gauge', samples: [{ value }] }])).toContain(`odd ${text}\n`)
  })

  it('merges families of one name and omits those without samples', () => {
    const other: MetricFamily = { ...volts, samples: [{ labels: { rail: '12v' }, value: 12 }] }
    const between: MetricFamily = { name: 'empty', help: 'Nothing.', type: 'gauge', samples: [] }
    expect(exposition([volts, between, { ...between, name: 'full', samples: [{ value: 1 }] }, other])).toBe(
      exposition([
        { ...volts, samples: [...volts.samples, ...other.samples] },
        { ...between, name: 'full', samples: [{ value: 1 }] },
      ]),
    )
  })
})

const name = fc.stringMatching(/^[a-zA-Z_][a-zA-Z0-9_]{0,8}$/)
const labels = fc.dictionary(name, fc.oneof(fc.string({ unit: anyCharacter }), fc.integer()), { maxKeys: 4 })
const family = fc.record({
  name,
  help: fc.string({ unit: anyCharacter, minLength: 1 }),
  type: fc.constantFrom('counter' as const, 'gauge' as const),
  samples: fc.array(fc.record({ labels, value: fc.double() }), { minLength: 1, maxLength: 4 }),
})
const families = fc.uniqueArray(family, { selector: (one) => one.name, maxLength: 5 })

describe('parseExposition of any exposition', () => {
  it('returns the same families', () => {
    fc.assert(
      fc.property(families, (list) => {
        const expected = list.map(({ samples, ...rest }) => ({
          ...rest,
          samples: samples.map(({ labels: given, value }) => ({
            name: rest.name,
            labels: Object.fromEntries(Object.entries(given).map(([key, text]) => [key, String(text)])),
            value: Object.is(value, -0) ? 0 : value,
          })),
        }))
        expect(parseExposition(exposition(list))).toEqual(expected)
      }),
    )
  })
})

/** A clock whose timers fire late, as in a busy process. */
class LateClock extends ManualClock {
  lateMs = 0

  override now(): number {
    return super.now() + this.lateMs
  }
}

describe('EventLoopDelay', () => {
  it('measures ten times a second from start to stop', async () => {
    const clock = new ManualClock()
    const delay = new EventLoopDelay(clock)
    await clock.advance(1000)
    expect(delay.histogram.count).toBe(0)
    delay.start()
    delay.start()
    await clock.advance(1000)
    expect([delay.histogram.count, delay.histogram.sumSeconds]).toEqual([1000 / LOOP_PROBE_MS, 0])
    delay.stop()
    await clock.advance(1000)
    expect(delay.histogram.count).toBe(1000 / LOOP_PROBE_MS)
    expect(clock.pending).toBe(0)
  })

  it('records how late a timer fired', async () => {
    const clock = new LateClock()
    const delay = new EventLoopDelay(clock)
    delay.start()
    clock.lateMs = 30
    await clock.advance(LOOP_PROBE_MS)
    expect(delay.histogram.sumSeconds).toBeCloseTo(0.03)
    delay.stop()
  })
})
