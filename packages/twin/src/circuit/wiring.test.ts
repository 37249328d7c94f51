import { describe, expect, it } from 'vitest'
import { Steady } from './branch.ts'
import { IDEAL_OHMS, open, resistor, short, source, squareWave } from './elements/index.ts'
import { Wiring } from './wiring.ts'

describe('Wiring.terminal', () => {
  it('creates a terminal on first use, and returns the same one again', () => {
    const wiring = new Wiring()
    expect(wiring.terminal('5/1')).toBe(wiring.terminal('5/1'))
    expect(wiring.terminal('5/1').voltsAt(0)).toBe(0)
  })

  it.each(['5', '5/', '/1', '5/1/2', 'a/b', '', '1234/1', '-1/1'])('refuses the name "%s"', (name) =>
    expect(() => new Wiring().terminal(name)).toThrow(RangeError),
  )
})

describe('an element', () => {
  it('stays on its terminal until it is disconnected', () => {
    const wiring = new Wiring()
    const terminal = wiring.terminal('3/1')
    terminal.drive(new Steady({ volts: 0, ohms: 1_000_000 }))
    const connection = wiring.connect('3/1', resistor({ ohms: 10_000, volts: 3.3 }))
    expect(terminal.voltsAt(0)).toBeCloseTo(3.3 * (1_000_000 / 1_010_000), 12)
    connection.disconnect()
    connection.disconnect()
    expect(terminal.voltsAt(0)).toBe(0)
  })

  it('shorts a terminal to ground, or leaves it open', () => {
    const wiring = new Wiring()
    wiring.terminal('3/2').drive(new Steady({ volts: 5, ohms: 1 }))
    wiring.connect('3/2', open())
    expect(wiring.terminal('3/2').ampsAt(0)).toBe(0)
    wiring.short('3/2')
    expect(wiring.terminal('3/2').ampsAt(0)).toBeCloseTo(5 / (1 + IDEAL_OHMS), 9)
  })

  it('has a tiny resistance in place of 0 Ω', () => {
    expect(source({ volts: 24 }).branch).toEqual(new Steady({ volts: 24, ohms: IDEAL_OHMS }))
    expect(resistor({ ohms: 0 }).branch).toEqual(short().branch)
  })

  it('is steady if its duty is 0 or 1', () => {
    expect(squareWave({ frequencyHz: 1, lowVolts: 1, highVolts: 2, duty: 1 }).branch).toEqual(
      new Steady({ volts: 2, ohms: IDEAL_OHMS }),
    )
    expect(squareWave({ frequencyHz: 1, lowVolts: 1, highVolts: 2, duty: 0 }).branch).toEqual(
      new Steady({ volts: 1, ohms: IDEAL_OHMS }),
    )
  })
})

describe('a wire', () => {
  it('joins terminals of any modules to one node', () => {
    const wiring = new Wiring()
    wiring.wire('3/1', '5/2')
    wiring.terminal('3/1').drive(new Steady({ volts: 5.15, ohms: 19 / 6 }))
    wiring.terminal('5/2').drive(new Steady({ volts: 0, ohms: 1 }))
    const amps = 5.15 / (19 / 6 + 1)
    expect(wiring.terminal('3/1').ampsAt(0)).toBeCloseTo(amps, 12)
    expect(wiring.terminal('5/2').ampsAt(0)).toBeCloseTo(-amps, 12)
    expect(wiring.terminal('5/2').voltsAt(0)).toBeCloseTo(amps, 12)
  })

  it('cannot connect a terminal to itself', () => expect(() => new Wiring().wire('3/1', '3/1')).toThrow(RangeError))
})

describe('a change listener', () => {
  it('is called for every change of its node, and for no other', () => {
    const wiring = new Wiring()
    let changes = 0
    const stop = wiring.terminal('5/1').onChange(() => changes++)
    wiring.terminal('3/1').drive(new Steady({ volts: 5, ohms: 1 }))
    expect(changes).toBe(0)
    const wire = wiring.wire('5/1', '3/1')
    expect(changes).toBe(1)
    wiring.terminal('3/1').drive(undefined)
    expect(changes).toBe(2)
    wiring.short('3/1').disconnect()
    expect(changes).toBe(4)
    wire.disconnect()
    expect(changes).toBe(5)
    stop()
    wiring.short('5/1')
    expect(changes).toBe(5)
  })

  it('may change the node again: all terminals end with the same voltage', () => {
    const wiring = new Wiring()
    const [a, b] = [wiring.terminal('5/1'), wiring.terminal('5/2')]
    wiring.wire('5/1', '5/2')
    const seen: number[] = []
    a.onChange(() => {
      if (a.voltsAt(0) > 4) a.drive(new Steady({ volts: 1, ohms: 1 }))
    })
    b.onChange(() => seen.push(b.voltsAt(0)))
    a.drive(new Steady({ volts: 5, ohms: 1 }))
    expect(a.voltsAt(0)).toBe(1)
    expect(seen.at(-1)).toBe(1)
  })

  it('can still query the old node for the time before', () => {
    const wiring = new Wiring()
    wiring.connect('3/1', source({ volts: 5 }))
    const before = wiring.terminal('3/1').node
    wiring.short('3/1')
    expect(before.voltsAt(0)).toBe(5)
    expect(wiring.terminal('3/1').voltsAt(0)).toBeCloseTo(2.5, 9)
  })
})
