import * as contracts from '@slotwire/modules/contracts'
import * as controls from '@slotwire/modules/controls'
import * as readings from '@slotwire/modules/readings'
import { describe, expect, it } from 'vitest'
import { alertSourcesOf, controlsOf, MetricTable, type ModuleType, readingsOf } from './metric.ts'

const io: ModuleType = { contract: contracts.io, readings: readings.io, controls: controls.io }
const power: ModuleType = { contract: contracts.power, readings: readings.power, controls: controls.power }
const bmc: ModuleType = { contract: contracts.bmc, readings: readings.bmc, controls: [] }
const at = (service: string, slot: number) => ({ service, slot })
const pins = (pin_type: string, value: number) => ({ pins: [{ pin: 2, pin_type, value }] })
const shown = (values: ReturnType<typeof readingsOf>) =>
  values.map(({ metric: { path, type, unit, deviceClass }, value }) => [path, type, unit, deviceClass, value])

describe('the metrics of a reply', () => {
  it.each([
    [pins('voltage_millivolt', 3300), [['io/3/pin/2/volts', 'number', 'V', 'voltage', 3.3]]],
    [pins('digital_input', 1), [['io/3/pin/2/level', 'text', undefined, undefined, 'high']]],
    [pins('frequency_hertz', 50), [['io/3/pin/2/hertz', 'number', 'Hz', 'frequency', 50]]],
  ])('follow the mode of the pin: %j', (reply, expected) =>
    expect(shown(readingsOf(io, at('io', 3), 'getInputValues', reply))).toEqual(expected),
  )

  it('have units, names and places of their own', () => {
    const fan = readingsOf(power, at('power', 1), 'getFanRpm', { enabled: true, rpm: 1200 })
    expect(shown(fan)).toEqual([['power/1/fan/rpm', 'number', 'rpm', undefined, 1200]])
    expect(fan[0]?.metric.name).toBe('Slot 1 fan speed')
    const watchdog = { timeout: 60_000, timeout_left: 30_000, shutdown_timeout: 1, emergency_mode: false }
    expect(shown(readingsOf(bmc, at('bmc', 0), 'getWatchdog', watchdog)).at(-1)).toEqual([
      'bmc/0/emergency/mode',
      'boolean',
      undefined,
      undefined,
      false,
    ])
  })
})

it('the settings of a module are read from its state, and made from a word', () => {
  const state = {
    pins: [
      { pin: 1, mode: 'output', output: { state: 'high' } },
      { pin: 2, mode: 'pwm', output: { period: 9 } },
    ],
  }
  const values = controlsOf(io, at('io', 3), state).map(({ metric, value }) => [metric.path, value])
  expect(values.slice(0, 4)).toEqual([
    ['io/3/pin/1', 'high'],
    ['io/3/pin/1/mode', 'output'],
    ['io/3/pin/2', undefined],
    ['io/3/pin/2/mode', 'pwm'],
  ])
  const [fan] = controlsOf(power, at('power', 1), { fan: { fan_forced: true, fan_mode: 60 } })
  expect([fan?.value, fan?.metric.control?.input('auto')]).toEqual(['60', { fan_forced: false, fan_mode: 0 }])
  expect(controlsOf(power, at('power', 1), 'unknown')[0]?.value).toBeUndefined()
})

it('the alerts of a module come from each pin, with the flags of the contract', () => {
  const sources = alertSourcesOf(io, at('io', 5))
  expect(sources.map(({ path }) => path)).toEqual([1, 2, 3, 4, 5, 6].map((pin) => `io/5/pin/${pin}/alert`))
  expect(Object.keys(sources[0]?.alerts ?? {})).toContain('high_current_alert')
  expect(alertSourcesOf(power, at('power', 1))).toEqual([])
})

it('MetricTable has no value for what its source does not give any more, and forgets modules that left', () => {
  const table = new MetricTable()
  table.take(readingsOf(power, at('power', 1), 'getFanRpm', { enabled: true, rpm: 1200 }), 'power/1 getFanRpm')
  const { isNew, changes } = table.take([], 'power/1 getFanRpm')
  expect([isNew, changes.map(({ value }) => value), table.metrics.get('power/1/fan/rpm')?.value]).toEqual([
    false,
    [undefined],
    undefined,
  ])
  expect(table.keepOnly(new Set(['io/3'])).map(({ path }) => path)).toEqual(['power/1/fan/rpm'])
  expect(table.metrics.size).toBe(0)
})
