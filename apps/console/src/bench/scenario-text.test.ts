import { catalog } from '@slotwire/device/twin'
import { parseScenario } from '@slotwire/scenario'
import { benchActions } from '@slotwire/twin'
import { describe, expect, it } from 'vitest'
import type { SentRequest } from '../store/sent.ts'
import { scenarioText } from './scenario-text.ts'

const posted = (path: string, body?: object, reply: object = {}, twinMs = 5000): SentRequest => ({
  request: { method: 'POST', path: path.startsWith('/api') ? path : `/slotwire/bench/${path}`, ...(body && { body }) },
  reply,
  twinMs,
})

/** The steps, after the real parser accepted them. */
const stepsOf = (...sent: readonly SentRequest[]): readonly string[] => {
  const text = scenarioText(sent, 'what was done')
  const parsed = parseScenario(text, { catalog })
  const lines = text.split('\n').slice(2, -1)
  expect(parsed.steps).toHaveLength(lines.filter((line) => line.startsWith('  - ')).length)
  return lines
}

const types = Object.fromEntries(Object.entries(catalog).map(([name, { firmware }]) => [name, firmware]))
const actions = Object.entries(benchActions(types))

describe('the scenario of what was done', () => {
  it.each(actions)('has a step for %s that means the same', (name, { example }) => {
    const [step] = stepsOf(posted(name, example))
    expect(step).toMatch(new RegExp(`^ {2}- ${name}: \\{`))
  })

  it.each([
    [
      'connect',
      { pin: '3/1', to: { resistor: { ohms: 1e9 } } },
      'connect: { pin: 3/1, to: { resistor: { ohms: 1000000000 } }, as: c9 }',
    ],
    ['connect', { pin: '3/1', to: { button: {} } }, 'connect: { pin: 3/1, to: { button: {} }, as: c9 }'],
    ['wire', { pins: ['3/1', '5/6'] }, 'wire: { pins: [3/1, 5/6], as: c9 }'],
    [
      'usb_attach',
      { slot: 5, manufacturer: 'A: b', product: '5' },
      'usb_attach: { slot: 5, manufacturer: "A: b", product: "5" }',
    ],
    [
      '/api/io/1.0/3/output/state',
      { pin: 2, state: 'high' },
      'request: { post: /api/io/1.0/3/output/state, body: { pin: 2, state: high } }',
    ],
  ])('writes %s %j', (path, body, step) => {
    const reply = path === 'connect' || path === 'wire' ? { name: 'c9' } : {}
    expect(stepsOf(posted(path, body, reply))).toEqual([`  - ${step}`])
  })

  it('names connections and faults, to change or end them later', () => {
    const steps = stepsOf(
      posted('connect', { pin: '3/1', to: { button: {} } }, { name: 'c4' }, 1000.4),
      posted('short', { pin: '3/2' }, { name: 'c5' }, 1000.4),
      posted('press', { of: 'c4', for_ms: 100 }, {}, 1250.4),
      posted('disconnect', { of: 'c5' }, { disconnected: 1 }, 2250.4),
      posted('set', { of: 'c2', ohms: 12 }, {}, 2250.4),
      posted('fault', { slot: 3, hang: {} }, { name: 'f1' }, 2250.4),
      posted('clear_faults', { of: 'f1' }, {}, 2250.4),
      posted('restart', undefined, {}, 2250.4),
    )
    expect(steps.join('\n')).toBe(
      [
        '  - connect: { pin: 3/1, to: { button: {} }, as: c4 }',
        '  - short: { pin: 3/2, as: c5 }',
        '  - at: 250ms\n    press: { of: c4, for_ms: 100 }',
        '  - at: 1.25s\n    disconnect: { of: c5 }',
        '  - set: { of: c2, ohms: 12 }',
        '  - fault: { slot: 3, hang: {}, as: f1 }',
        '  - clear_faults: { of: f1 }',
        '  - restart: {}',
      ].join('\n'),
    )
  })

  it('needs no step for a change of time, whose effect is the time of the next step', () => {
    const clear = { of: 'all' }
    const steps = stepsOf(
      posted('time/pause'),
      posted('clear_faults', clear),
      posted('time/step', { ms: 10_000 }),
      posted('clear_faults', clear, {}, 15_000),
    )
    expect(steps).toEqual(['  - clear_faults: { of: all }', '  - at: 10s', '    clear_faults: { of: all }'])
  })

  it('says what no step can do', () => {
    const steps = stepsOf(posted('clear_faults', { of: 'all' }), posted('polish/all', { of: 3 }))
    expect(steps.slice(1)).toEqual(['  # no step can do this: POST /slotwire/bench/polish/all {"of":3}'])
  })
})
