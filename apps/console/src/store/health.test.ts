import { signal } from '@preact/signals'
import { describe, expect, it } from 'vitest'
import type { DeviceStore } from './device-store.ts'
import { problemsOf } from './health.ts'
import { pageOf } from './problem.ts'

const NOW = Date.parse('2026-11-24T10:00:00Z')
const STATS = {
  ...{ voltage_3v3: 3318, voltage_5v0: 5143, voltage_12v: 12_050 },
  ...{ current_3v3: 308, current_5v0: 242, current_12v: 10 },
  ...{ limit_3v3: 5949, limit_5v0: 4949, limit_12v: 2399 },
}
const WELL = {
  'power getStats': STATS,
  'power getTemperature': { on_board_temp: 30, pmc_temp: 33 },
  'bmc getWatchdog': { timeout: 0, timeout_left: 0, shutdown_timeout: 60_000, emergency_mode: false },
  'bmc getTemperature': { ntc_0: 38, ntc_1: 29 },
  'io getInputValues': { pins: [] },
}
type Values = Readonly<Partial<Record<keyof typeof WELL, object | string>>>

interface World {
  readonly isLost?: boolean
  readonly isRestarting?: boolean
  readonly warnings?: readonly string[]
  readonly hidden?: readonly string[]
  readonly notices?: readonly { slot: number; service: string; what: string }[]
  readonly hung?: readonly (readonly [number, string])[]
  readonly records?: readonly object[]
  /** A text: why it cannot be read. */
  readonly values?: Values
}

function storeOf({
  isLost = false,
  isRestarting = false,
  warnings = [],
  hidden = [],
  notices = [],
  hung = [],
  records = [],
  values = {},
}: World) {
  const known: Values = { ...WELL, ...values }
  return {
    link: { state: signal({ isConnected: !isLost }) },
    isRestarting: signal(isRestarting),
    warnings: signal(warnings),
    hidden: signal(hidden),
    minute: signal(0),
    wallTime: () => NOW,
    modules: {
      list: signal([
        { slot: 0, service: 'bmc' },
        { slot: 1, service: 'power' },
        { slot: 3, service: 'io' },
      ]),
      notices: signal(new Map(notices.map((notice) => [notice.slot, notice]))),
      hung: signal(new Map(hung)),
    },
    records: { recent: signal(records) },
    reading: (service: string, _slot: number, name: string) => {
      const value = known[`${service} ${name}` as keyof Values]
      return { shown: signal(typeof value === 'string' ? { value: undefined, error: value } : { value, error: undefined }) }
    },
  } as unknown as DeviceStore
}

const BMC = { slot: 0, service: 'bmc' }
const POWER = { slot: 1, service: 'power' }
const IO = { slot: 3, service: 'io' }
const at = (secondsAgo: number) => ({ at: new Date(NOW - secondsAgo * 1000).toISOString() })
const alert = (secondsAgo: number) => ({ ...IO, ...at(secondsAgo), kind: 'alert', pin: 2, alerts: ['high_current_alert'] })
const protection = { ...POWER, ...at(10), kind: 'protection', counter: 'ocp_cnt_12v', from: 1, to: 3 }
const watchdog = (timeout_left: number) => ({ 'bmc getWatchdog': { ...WELL['bmc getWatchdog'], timeout: 60_000, timeout_left } })

describe('problems', () => {
  it.each<[string, World, object[]]>([
    ['nothing', {}, []],
    [
      'a lost connection alone, whatever was wrong before',
      { isLost: true, values: { 'power getStats': 'old' } },
      [{ kind: 'lost' }],
    ],
    [
      'a restart alone',
      { isRestarting: true, notices: [{ ...IO, what: 'left' }], values: { 'power getStats': 'no answer' } },
      [{ kind: 'restarting' }],
    ],
    [
      'an io module that cannot be read',
      { values: { 'io getInputValues': 'no answer' } },
      [{ kind: 'unreadable', service: 'io', slot: 3, error: 'no answer' }],
    ],
    ['a token that shows a part', { hidden: ['bmc'] }, [{ kind: 'hidden', services: ['bmc'] }]],
    ['a warning of the server', { warnings: ['disk full'] }, [{ kind: 'warning', text: 'disk full' }]],
    ['a lost session', { notices: [{ ...IO, what: 'new-session' }] }, [{ ...IO, kind: 'new-session' }]],
    ['a module that left', { notices: [{ ...IO, what: 'left' }] }, [{ ...IO, kind: 'left' }]],
    ['a module that hung, once', { hung: [[3, 'io']], notices: [{ ...IO, what: 'left' }] }, [{ ...IO, kind: 'hung' }]],
    ['a module that cannot be read', { values: { 'power getStats': 'busy' } }, [{ ...POWER, kind: 'unreadable', error: 'busy' }]],
    ['a rail at its limit', { values: { 'power getStats': { ...STATS, current_12v: 2399 } } }, []],
    [
      'a rail beyond it',
      { values: { 'power getStats': { ...STATS, current_12v: 2400 } } },
      [{ ...POWER, kind: 'rail-limit', rail: '12v' }],
    ],
    [
      'a rail that is off',
      { values: { 'power getStats': { ...STATS, voltage_12v: 0 } } },
      [{ ...POWER, kind: 'rail-off', rail: '12v' }],
    ],
    [
      'heat',
      { values: { 'bmc getTemperature': { ntc_0: 90.2, ntc_1: 29 } } },
      [{ ...BMC, kind: 'hot', sensor: 'ntc_0', celsius: 90 }],
    ],
    ['a watchdog with time left', { values: watchdog(15_000) }, []],
    ['a watchdog about to fire', { values: watchdog(14_999) }, [{ ...BMC, kind: 'watchdog', leftMs: 14_999 }]],
    [
      'corrupt storage',
      { values: { 'bmc getWatchdog': { ...WELL['bmc getWatchdog'], emergency_mode: true } } },
      [{ ...BMC, kind: 'emergency' }],
    ],
    [
      'alerts, by pin',
      { records: [{ ...alert(299), count: 3 }, alert(5)] },
      [{ ...IO, kind: 'alerts', pin: 2, flags: ['high_current_alert'], count: 4 }],
    ],
    ['no alert of long ago', { records: [alert(301)] }, []],
    [
      'a protection counter that rose',
      { records: [protection] },
      [{ ...POWER, kind: 'protection', counter: 'ocp_cnt_12v', count: 2 }],
    ],
  ])('are found: %s', (_, world, expected) => {
    expect(problemsOf(storeOf(world))).toEqual(expected)
  })

  it.each([
    [{ ...POWER, kind: 'rail-off', rail: '12v' }, '#/power/1'],
    [{ ...IO, kind: 'alerts', pin: 2, flags: [], count: 1 }, '#/io/3'],
    [{ kind: 'restarting' }, '#/events'],
    [{ kind: 'lost' }, '#/about'],
    [{ kind: 'warning', text: 'disk full' }, '#/about'],
  ] as const)('lead to the page where they can be dealt with: %j', (problem, page) => {
    expect(pageOf(problem)).toBe(page)
  })
})
