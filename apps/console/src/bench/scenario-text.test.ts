import { catalog } from '@slotwire/device/twin'
import { parseScenario } from '@slotwire/scenario'
import { describe, expect, it } from 'vitest'
import type { SentRequest } from '../store/sent.ts'
import { scenarioText } from './scenario-text.ts'

/** A wire that was there before the page. */
const WIRE = { connection: 1, pins: ['5/1', '5/2'], kind: 'wire', description: '', settings: {} }
const SOURCE = { connection: 2, pins: ['5/3'], kind: 'source', description: '', settings: {} }
const seen = new Map([WIRE, SOURCE].map((each) => [each.connection, each]))

const posted = (path: string, body?: object, reply: object = { connection: 9 }, twinMs = 5000): SentRequest => ({
  request: { method: 'POST', path: path.startsWith('/api') ? path : `/slotwire/bench/${path}`, ...(body && { body }) },
  reply,
  twinMs,
})

/** The steps, after the real parser accepted them. */
const stepsOf = (...sent: readonly SentRequest[]): readonly string[] => {
  const text = scenarioText(sent, 'what was done', seen)
  const parsed = parseScenario(text, { catalog })
  const lines = text.split('\n').slice(2, -1)
  expect(parsed.steps).toHaveLength(lines.filter((line) => line.startsWith('  - ')).length)
  return lines
}

describe('the scenario of what was done', () => {
  it.each([
    ['pin/3/1/source', { volts: 24, ohms: 10_000 }, 'connect: { pin: 3/1, to: { source: { volts: 24, ohms: 10000 } }, as: c9 }'],
    [
      'pin/3/1/resistor',
      { ohms: 1e9, other: { slot: 5, pin: 2 } },
      'connect: { pin: 3/1, to: { resistor: { ohms: 1000000000 } }, other: 5/2, as: c9 }',
    ],
    ['pin/3/1/capacitor', { farad: 1e-7 }, 'connect: { pin: 3/1, to: { capacitor: { farad: 1e-7 } }, as: c9 }'],
    [
      'pin/3/1/square_wave',
      { frequency_hz: 100, low_volts: 0, high_volts: 5, duty: 0.25 },
      'connect: { pin: 3/1, to: { square_wave: { frequency_hz: 100, low_volts: 0, high_volts: 5, duty: 0.25 } }, as: c9 }',
    ],
    ['pin/3/1/button', {}, 'connect: { pin: 3/1, to: button, as: c9 }'],
    ['pin/3/1/open', undefined, 'connect: { pin: 3/1, to: open, as: c9 }'],
    ['pin/3/2/short', undefined, 'short: { pin: 3/2, as: c9 }'],
    ['pin/3/1/wire', { slot: 5, pin: 6 }, 'wire: { pins: [3/1, 5/6], as: c9 }'],
    ['pin/3/1/disconnect', undefined, 'disconnect: 3/1'],
    ['connection/1/disconnect', undefined, 'disconnect: 5/1'],
    ['connection/2/set', { volts: 12 }, 'set: { of: 5/3, volts: 12 }'],
    ['slot/7/plug', { module: 'io' }, 'plug: { slot: 7, module: io }'],
    ['slot/5/unplug', undefined, 'unplug: 5'],
    ['slot/1/factory_reset', undefined, 'factory_reset: 1'],
    ['slot/0/press', { action: 'shutdown_switch' }, 'press: { slot: 0, action: shutdown_switch }'],
    ['slot/1/break', { defect: 'fan_blocked', for_ms: 10_000 }, 'break: { slot: 1, defect: fan_blocked, for: 10s }'],
    ['slot/3/fault/crc_errors', { share: 0.3, for_ms: 1500 }, 'fault: { slot: 3, crc_errors: { share: 0.3 }, for: 1.5s }'],
    ['slot/3/fault/hang', { for_ms: 50 }, 'fault: { slot: 3, hang: true, for: 50ms }'],
    ['slot/3/fault/reboot', undefined, 'fault: { slot: 3, reboot: true }'],
    ['slot/3/faults/clear', undefined, 'clear_faults: 3'],
    ['faults/clear', undefined, 'clear_faults: all'],
    ['ambient', { celsius: 40 }, 'ambient: 40'],
    ['computer', { watt: 5 }, 'computer: 5'],
    ['rail', { rail: '12v', load_milliampere: 500 }, 'rail: { rail: 12v, load_milliampere: 500 }'],
    ['restart', undefined, 'restart:'],
    [
      'usb/attach',
      { slot: 5, manufacturer: 'A: b', product: '5', serial_code: 'LP-1' },
      'usb_attach: { slot: 5, manufacturer: "A: b", product: "5", serial_code: LP-1 }',
    ],
    ['usb/detach', { slot: 4 }, 'usb_detach: 4'],
    ['usb/host', { connected: true }, 'usb_host: true'],
    [
      '/api/io/1.0/3/output/state',
      { pin: 2, state: 'high' },
      'request: { post: /api/io/1.0/3/output/state, body: { pin: 2, state: high } }',
    ],
  ])('writes %s %j', (path, body, step) => {
    expect(stepsOf(posted(path, body))).toEqual([`  - ${step}`])
  })

  it('names connections, to change or remove them later', () => {
    const steps = stepsOf(
      posted('pin/3/1/button', {}, { connection: 4 }, 1000.4),
      posted('pin/3/2/short', undefined, { connection: 5 }, 1000.4),
      posted('pin/3/2/wire', { slot: 3, pin: 3 }, { connection: 6 }, 1000.4),
      posted('connection/4/set', { press_for_ms: 100 }, {}, 1250.4),
      posted('connection/5/disconnect', undefined, {}, 2250.4),
      posted('connection/6/disconnect', undefined, {}, 2250.4),
    )
    expect(steps.join('\n')).toBe(
      [
        '  - connect: { pin: 3/1, to: button, as: c4 }',
        '  - short: { pin: 3/2, as: c5 }',
        '  - wire: { pins: [3/2, 3/3], as: c6 }',
        '  - at: 250ms\n    set: { of: c4, press_for_ms: 100 }',
        '  - at: 1.25s\n    disconnect: c5',
        '  - disconnect: c6',
      ].join('\n'),
    )
  })

  it('ends a fault by its slot', () => {
    const steps = stepsOf(posted('slot/3/fault/hang', {}, { fault: 7 }), posted('fault/7/clear', undefined))
    expect(steps[1]).toBe('  - clear_faults: 3')
  })

  it('needs no step for a change of time, whose effect is the time of the next step', () => {
    const steps = stepsOf(
      posted('time/pause'),
      posted('faults/clear'),
      posted('time/step', { ms: 10_000 }),
      posted('faults/clear', undefined, {}, 15_000),
    )
    expect(steps).toEqual(['  - clear_faults: all', '  - at: 10s', '    clear_faults: all'])
  })

  it('says what no step can do', () => {
    const steps = stepsOf(posted('faults/clear'), posted('fault/9/clear'), posted('polish', { of: 3 }))
    expect(steps.slice(1)).toEqual([
      '  # no step can do this: POST /slotwire/bench/fault/9/clear ',
      '  # no step can do this: POST /slotwire/bench/polish {"of":3}',
    ])
  })
})
