import { seededRandom } from '@slotwire/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Steady } from './branch.ts'
import { coil, IDEAL_OHMS, motor, noise, open, resistor, short, sineWave, source, squareWave } from './elements/index.ts'
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

  it('can be connected twice: 10 kΩ and 10 kΩ are 5 kΩ', () => {
    const wiring = new Wiring()
    const load = resistor({ ohms: 10_000 })
    wiring.terminal('3/1').drive(new Steady({ volts: 5, ohms: 5000 }))
    const first = wiring.connect('3/1', load)
    wiring.connect('3/1', load)
    expect(wiring.terminal('3/1').voltsAt(0)).toBeCloseTo(2.5, 12)
    first.disconnect()
    expect(wiring.terminal('3/1').voltsAt(0)).toBeCloseTo(10 / 3, 12)
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

  it('refuses values out of range', () => {
    expect(() => resistor({ ohms: -1 })).toThrow('ohms is out of range')
    expect(() => source({ volts: Number.NaN })).toThrow('volts')
    expect(() => squareWave({ frequencyHz: 0, lowVolts: 0, highVolts: 1 })).toThrow('frequencyHz')
    expect(() => squareWave({ frequencyHz: 10_000_001, lowVolts: 0, highVolts: 1 })).toThrow('frequencyHz')
    expect(() => squareWave({ frequencyHz: 1, lowVolts: 0, highVolts: 1, duty: 1.1 })).toThrow('duty')
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

  it('joins chains, and separates them again when it is removed', () => {
    const wiring = new Wiring()
    wiring.wire('3/1', '3/2')
    const middle = wiring.wire('3/2', '5/1')
    wiring.wire('5/1', '5/2')
    wiring.connect('3/1', source({ volts: 5 }))
    expect(wiring.terminal('5/2').voltsAt(0)).toBe(5)
    middle.disconnect()
    expect(wiring.terminal('3/2').voltsAt(0)).toBe(5)
    expect(wiring.terminal('5/2').voltsAt(0)).toBe(0)
  })

  it('keeps two terminals joined if a second wire between them is removed', () => {
    const wiring = new Wiring()
    const first = wiring.wire('3/1', '3/2')
    wiring.wire('3/2', '3/1')
    wiring.connect('3/1', source({ volts: 5 }))
    first.disconnect()
    expect(wiring.terminal('3/2').voltsAt(0)).toBe(5)
  })

  it('is symmetric, in any order of connecting', () => {
    const volts = fc.integer({ min: -30, max: 30 })
    const ohms = fc.integer({ min: 1, max: 100_000 })
    fc.assert(
      fc.property(volts, ohms, volts, ohms, (voltsA, ohmsA, voltsB, ohmsB) => {
        const forth = new Wiring()
        forth.wire('3/1', '5/1')
        forth.connect('3/1', resistor({ ohms: ohmsA, volts: voltsA }))
        forth.terminal('5/1').drive(new Steady({ ohms: ohmsB, volts: voltsB }))
        const back = new Wiring()
        back.terminal('5/1').drive(new Steady({ ohms: ohmsB, volts: voltsB }))
        back.connect('3/1', resistor({ ohms: ohmsA, volts: voltsA }))
        back.wire('5/1', '3/1')
        expect(back.terminal('3/1').voltsAt(0)).toBeCloseTo(forth.terminal('5/1').voltsAt(0), 9)
        expect(forth.terminal('3/1').voltsAt(0)).toBe(forth.terminal('5/1').voltsAt(0))
      }),
    )
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

describe('the order of connecting', () => {
  const elements = [
    source({ volts: 5, ohms: 1000 }),
    resistor({ ohms: 3300 }),
    resistor({ ohms: 470, volts: 1.7 }),
    squareWave({ frequencyHz: 70, lowVolts: 0, highVolts: 3.3, ohms: 680 }),
    sineWave({ frequencyHz: 31, lowVolts: -1, highVolts: 2.2, ohms: 910 }),
    noise({ frequencyHz: 500, lowVolts: 0, highVolts: 1.1, ohms: 120 }),
    coil({ ohms: 100, henry: 0.3 }),
    motor({ ohms: 220 }),
  ]

  it('changes no voltage by a digit, with wires and drivers too', () => {
    const voltsOf = (seed: number): readonly number[] => {
      const random = seededRandom(seed)
      const wiring = new Wiring()
      const acts = [
        ...elements.map((element, index) => () => void wiring.connect(`3/${1 + (index % 3)}`, element)),
        () => void wiring.wire('3/1', '3/2'),
        () => void wiring.wire('3/3', '3/2'),
        () => wiring.terminal('3/2').drive(new Steady({ volts: 5.15, ohms: 19 / 6 })),
        () => wiring.terminal('3/3').drive(new Steady({ volts: 0, ohms: 1_000_000 })),
      ]
      const shuffled = acts.map((act) => ({ act, at: random() })).sort((a, b) => a.at - b.at)
      for (const each of shuffled) each.act()
      return [0.3, 17.9, 400.1].map((atMs) => wiring.terminal('3/1').voltsAt(atMs))
    }
    for (let seed = 1; seed < 20; seed++) expect(voltsOf(seed)).toEqual(voltsOf(0))
  })
})
