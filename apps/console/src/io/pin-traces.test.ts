import { describe, expect, it } from 'vitest'
import { PinTraces, pastCsv } from './pin-traces.ts'

describe('PinTraces', () => {
  it('keeps volts and levels of a pin apart, with a gap in the one that is not measured', () => {
    const traces = new PinTraces()
    traces.push(1000, [{ pin: 1, pin_type: 'voltage_millivolt', value: 3000 }], 1000)
    traces.push(2000, [{ pin: 1, pin_type: 'digital_input', value: 1 }], 1000)
    traces.push(3000, [{ pin: 1, pin_type: 'digital_input', value: 0 }], 1000)
    expect(traces.of(1, 'voltage_millivolt').points(0, 3000).series).toEqual([[3000, 3000, null, null]])
    expect(traces.of(1, 'digital_input').points(0, 3000).series).toEqual([[1, 0]])
  })

  it('begins with the past of the device, with its gaps, then has the values', () => {
    const traces = new PinTraces()
    const series = [{ pin: 1, pin_type: 'voltage_millivolt', values: [1000, 2000, null, 4000] }]
    for (const nowMs of [10_000, 10_000]) traces.fill({ ago_milliseconds: [4000, 3000, 2999, 1000], series }, nowMs)
    traces.push(10_000, [{ pin: 1, pin_type: 'voltage_millivolt', value: 5000 }], 1000)
    const { times, series: shown } = traces.of(1, 'voltage_millivolt').points(0, 10_000)
    expect(shown).toEqual([[1000, 2000, null, null, 4000, 5000]])
    expect(times).toEqual([6, 7, 7.001, 8.999, 9, 10])
  })

  it('has a gap in each pin while the values are not known', () => {
    const traces = new PinTraces()
    traces.push(
      1000,
      [1, 2].map((pin) => ({ pin, pin_type: 'voltage_millivolt' as const, value: pin })),
      1000,
    )
    traces.interrupt(2000)
    expect([1, 2].map((pin) => traces.of(pin, 'voltage_millivolt').points(0, 2000).series)).toEqual([
      [[1, 1, null]],
      [[2, 2, null]],
    ])
  })
})

it('pastCsv has a column for each pin and unit, and a row without values for a gap', () => {
  const series = [
    { pin: 1, pin_type: 'voltage_millivolt', values: [1000, 2000, null, 4000, 4500] },
    { pin: 2, pin_type: 'digital_input', values: [0, 1, null, null, 1] },
  ]
  const past = { ago_milliseconds: [4000, 3000, 2999, 1000, 500], series }
  expect(pastCsv(past, 10_000, [7000, 9000], (pin) => `Pin "${pin}"`).split('\n')).toEqual([
    'time,"Pin ""1"" (mV)","Pin ""2"""',
    '1970-01-01T00:00:07.000Z,2000,1',
    '1970-01-01T00:00:07.001Z,,',
    '1970-01-01T00:00:09.000Z,4000,',
    '',
  ])
})
