import { describe, expect, it } from 'vitest'
import { PinTraces } from './pin-traces.ts'

describe('PinTraces', () => {
  it('keeps volts and levels of a pin apart, with a gap in the one that is not measured', () => {
    const traces = new PinTraces()
    traces.push(1000, [{ pin: 1, pin_type: 'voltage_millivolt', value: 3000 }], 1000)
    traces.push(2000, [{ pin: 1, pin_type: 'digital_input', value: 1 }], 1000)
    traces.push(3000, [{ pin: 1, pin_type: 'digital_input', value: 0 }], 1000)
    expect(traces.of(1, 'voltage_millivolt').points(0, 3000).series).toEqual([[3000, 3000, null, null]])
    expect(traces.of(1, 'digital_input').points(0, 3000).series).toEqual([[1, 0]])
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
