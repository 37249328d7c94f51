import { describe, expect, it } from 'vitest'
import { de } from '../texts/de.ts'
import { en } from '../texts/en.ts'
import { sentenceOf } from './sentence.ts'

describe('sentenceOf', () => {
  it.each([
    [{ kind: 'device', state: 'up' }, 'The device is up again.'],
    [{ kind: 'module', event: 'left', service: 'io' }, 'The IO module is gone.'],
    [
      { kind: 'alert', pin: 2, alerts: ['custom_voltage_alert', 'high_current_alert'] },
      'Pin 2: threshold or interrupt, high current, the pin is disabled.',
    ],
    [{ kind: 'protection', counter: 'ocp_cnt_5v0', from: 1, to: 3 }, 'Over current 5 V: the counter rose from 1 to 3.'],
    [
      { kind: 'power', event: 'denied', missing: { rail_3v3_milliwatt: 0, rail_5v0_milliwatt: 1250, rail_12v_milliwatt: 0 } },
      'The power configuration is denied. Missing: 5 V 1.25 W.',
    ],
    [{ kind: 'watchdog', event: 'set', timeout: 60_000 }, 'The watchdog is set to 60.0 s.'],
    [{ kind: 'watchdog', event: 'set', timeout: 0 }, 'The watchdog is switched off.'],
    [
      { kind: 'usb', event: 'port', port_slot: 4, enabled: false },
      'USB port of slot 4: off is saved. A reset of the hub applies it.',
    ],
    [{ kind: 'lease', event: 'taken-over', holder: 'Bob', from: 'Ada' }, 'Bob took this slot over from Ada.'],
    [
      { kind: 'write', method: 'POST', path: '/output/state', status: 200, body: { pin: 2, state: 'high' } },
      'POST /output/state (pin 2, state high) got 200.',
    ],
    [
      {
        kind: 'write',
        method: 'POST',
        path: '/power',
        status: 200,
        body: { config: Array(6).fill({ rail: '5_volt', current_milliampere: 50 }) },
      },
      'POST /power (5 V 50) got 200.',
    ],
    [{ kind: 'weather', event: 'rain' }, undefined],
    [{ kind: 'module', event: 'danced' }, undefined],
  ])('says %j', (record, sentence) => {
    expect(sentenceOf(record, { language: 'en', texts: en })).toBe(sentence)
  })

  it('keeps markup in a name as text', () => {
    const record = { kind: 'lease', event: 'granted', holder: '<img onerror>{from}' }
    expect(sentenceOf(record, { language: 'en', texts: en })).toBe('<img onerror>{from} drives this slot.')
  })

  it('speaks German', () => {
    const record = { kind: 'watchdog', event: 'fed_late', timeout: 2000, after_milliseconds: 1600 }
    expect(sentenceOf(record, { language: 'de', texts: de })).toBe('Der Watchdog wurde spät bedient: nach 1,6 s von 2,0 s.')
  })
})
