import { ManualClock } from '@slotwire/core'
import { describe, expect, it } from 'vitest'
import { Steady } from './branch.ts'
import { button, coil, motor, ntc, open, resistor, sineWave, source } from './elements/index.ts'
import { Wiring } from './wiring.ts'

describe('a connection', () => {
  it('is listed with terminals, kind, description and settings, in the order of creation', () => {
    const wiring = new Wiring()
    wiring.connect('3/1', source({ volts: 24, ohms: 10_000 }))
    wiring.wire('3/1', '5/2')
    wiring.short('5/2')
    expect(
      wiring
        .connections()
        .map(({ id, terminals, kind, description, settings }) => ({ id, terminals, kind, description, settings })),
    ).toEqual([
      {
        id: 'c1',
        terminals: ['3/1'],
        kind: 'source',
        description: 'source of 24 V behind 10000 Ω',
        settings: { volts: 24, ohms: 10_000 },
      },
      { id: 'c2', terminals: ['3/1', '5/2'], kind: 'wire', description: 'wire from 3/1 to 5/2', settings: {} },
      { id: 'c3', terminals: ['5/2'], kind: 'short', description: 'short to ground', settings: {} },
    ])
  })

  it('is listed by terminal', () => {
    const wiring = new Wiring()
    wiring.short('3/1')
    wiring.wire('3/1', '5/2')
    wiring.short('5/2')
    expect(wiring.connections('5/2').map(({ id }) => id)).toEqual(['c2', 'c3'])
    expect(wiring.connections('5/3')).toEqual([])
    expect(() => wiring.connections('five')).toThrow('terminal five: slot/pin, as in 5/1')
  })

  it('is found by its id until it is removed; the id is not reused', () => {
    const wiring = new Wiring()
    const shorted = wiring.short('3/1')
    expect(wiring.connection('c1')).toBe(shorted)
    shorted.disconnect()
    expect(() => wiring.connection('c1')).toThrow('connection c1 does not exist')
    expect(wiring.short('3/1').id).toBe('c2')
  })

  it('is removed with all others of a terminal, wires included, or with all of the wiring', () => {
    const wiring = new Wiring()
    wiring.connect('3/1', source({ volts: 5 }))
    wiring.wire('3/1', '5/2')
    wiring.connect('5/2', resistor({ ohms: 100 }))
    expect(wiring.disconnectAll('5/2')).toBe(2)
    expect(wiring.terminal('3/1').voltsAt(0)).toBe(5)
    expect(wiring.terminal('5/2').voltsAt(0)).toBe(0)
    expect(wiring.disconnectAll()).toBe(1)
    expect(wiring.connections()).toEqual([])
    expect(wiring.terminal('3/1').voltsAt(0)).toBe(0)
  })

  it('counts towards a limit of 1000', () => {
    const wiring = new Wiring()
    for (let count = 0; count < 1000; count++) wiring.connect(`${Math.floor(count / 100)}/${count % 100}`, open())
    expect(() => wiring.short('3/1')).toThrow('limit of 1000 connections reached')
    expect(() => wiring.wire('3/1', '3/2')).toThrow(RangeError)
    wiring.connection('c1').disconnect()
    wiring.wire('3/1', '3/2')
  })
})

describe('a setting', () => {
  it('changes while the element is connected, in one change of the node', () => {
    const wiring = new Wiring()
    const supply = wiring.connect('3/1', source({ volts: 5, ohms: 100 }))
    const seen: number[] = []
    wiring.terminal('3/1').onChange(() => seen.push(wiring.terminal('3/1').voltsAt(0)))
    supply.set({ volts: 12 })
    expect(seen).toEqual([12])
    expect([supply.settings, supply.description]).toEqual([{ volts: 12, ohms: 100 }, 'source of 12 V behind 100 Ω'])
  })

  it('is refused if it is invalid, and then nothing changes', () => {
    const wiring = new Wiring()
    const warm = wiring.connect('3/1', ntc({ celsius: 25 }))
    const { node } = wiring.terminal('3/1')
    expect(() => warm.set({ celsius: 200 })).toThrow('celsius is out of range: -55…150 °C, not 200')
    expect(() => wiring.connection('c1').set({ kelvin: 200 })).toThrow('kelvin is unknown: allowed: celsius and volts')
    expect(wiring.terminal('3/1').node).toBe(node)
    expect(warm.settings).toEqual({ celsius: 25, volts: 0 })
  })

  it('does not exist for a wire and for a removed element', () => {
    const wiring = new Wiring()
    expect(() => wiring.wire('3/1', '3/2').set({ ohms: 1 })).toThrow('ohms is unknown: there are no fields here')
    const gone = wiring.connect('3/1', source({ volts: 5 }))
    gone.disconnect()
    expect(() => gone.set({ volts: 6 })).toThrow('connection c2 does not exist')
    expect(wiring.terminal('3/1').voltsAt(0)).toBe(0)
  })
})

describe('the clock of a wiring', () => {
  it('times the press of a button', async () => {
    const clock = new ManualClock()
    const wiring = new Wiring(clock)
    wiring.terminal('3/1').drive(new Steady({ volts: 0, ohms: 1_000_000 }))
    const pressed = wiring.connect('3/1', button({ volts: 5, bounces: 0 }))
    await clock.advance(1000)
    pressed.set({ pressForMs: 50 })
    const { node } = wiring.terminal('3/1')
    const at = (ms: number): number => Math.round(node.voltsAt(ms))
    expect([1000, 1049.9, 1050, 2000].map(at)).toEqual([5, 5, 0, 0])
    expect(pressed.settings).toMatchObject({ pressed: true })
    await clock.advance(50)
    expect(pressed.settings).toMatchObject({ pressed: false })
  })

  it('drives coils: their current continues through every change of the wiring', async () => {
    const clock = new ManualClock()
    const wiring = new Wiring(clock)
    const terminal = wiring.terminal('3/1')
    terminal.drive(new Steady({ volts: 12, ohms: 100 }))
    await clock.advance(1000)
    wiring.connect('3/1', coil({ ohms: 100, henry: 0.2 }))
    expect(terminal.voltsAt(1000)).toBeCloseTo(12, 1)
    await clock.advance(1)
    // 60 mA × (1 − 1/e), for any wiring from then on.
    const amps = 0.06 * (1 - Math.exp(-1))
    expect(terminal.ampsAt(1001)).toBeCloseTo(amps, 3)
    wiring.wire('3/1', '3/2')
    expect(terminal.ampsAt(1001)).toBeCloseTo(amps, 3)
    terminal.drive(new Steady({ volts: 0, ohms: 100 }))
    expect(terminal.ampsAt(1001)).toBeCloseTo(amps, 3)
    await clock.advance(1)
    expect(wiring.terminal('3/2').voltsAt(1002)).toBeCloseTo(-100 * amps * Math.exp(-1), 1)
    wiring.disconnectAll('3/2')
    expect(terminal.ampsAt(1002)).toBeCloseTo(amps * Math.exp(-1), 3)
  })

  it('drives two connections of the same element separately', async () => {
    const clock = new ManualClock()
    const wiring = new Wiring(clock)
    const load = coil({ ohms: 100, henry: 0.2 })
    wiring.terminal('3/1').drive(new Steady({ volts: 12, ohms: 1e-3 }))
    wiring.connect('3/1', load)
    await clock.advance(100)
    wiring.connect('3/1', load)
    // The second coil starts at 0 A beside the first.
    expect(wiring.terminal('3/1').ampsAt(100)).toBeCloseTo(0.12, 3)
    await clock.advance(100)
    expect(wiring.terminal('3/1').ampsAt(200)).toBeCloseTo(0.24, 3)
  })

  it('keeps the current of a coil whose settings change', async () => {
    const clock = new ManualClock()
    const wiring = new Wiring(clock)
    wiring.terminal('3/1').drive(new Steady({ volts: 12, ohms: 100 }))
    const load = wiring.connect('3/1', coil({ ohms: 100, henry: 0.2 }))
    await clock.advance(1000)
    load.set({ ohms: 200 })
    expect(wiring.terminal('3/1').ampsAt(1000)).toBeCloseTo(0.06, 3)
    await clock.advance(1000)
    expect(wiring.terminal('3/1').ampsAt(2000)).toBeCloseTo(0.04, 3)
  })

  it('answers what-if questions without changing the wiring', async () => {
    const clock = new ManualClock()
    const wiring = new Wiring(clock)
    const terminal = wiring.terminal('3/1')
    terminal.drive(new Steady({ volts: 12, ohms: 1 }))
    wiring.connect('3/1', motor({ ohms: 120, henry: 0 }))
    await clock.advance(10_000)
    const { node } = terminal
    // A motor that turns: 9.6 V behind 24 Ω. The pin as an input would see that.
    expect(terminal.nodeWith(new Steady({ volts: 0, ohms: 1_000_000 })).extremes()[1]).toBeCloseTo(9.52, 1)
    expect(terminal.node).toBe(node)
    expect(terminal.voltsAt(10_000)).toBeCloseTo(11.9, 1)
  })
})

describe('coils and motors on one node', () => {
  it('are limited to 8, a motor counted twice, for connecting, wiring and setting', () => {
    const wiring = new Wiring()
    for (let count = 0; count < 3; count++) wiring.connect('3/1', motor({ ohms: 100 }))
    wiring.connect('3/1', coil({ ohms: 100, henry: 1 }))
    const small = wiring.connect('3/1', motor({ ohms: 100, henry: 0 }))
    expect(() => wiring.connect('3/1', coil({ ohms: 100, henry: 1 }))).toThrow(
      'coils (1), capacitors (1) and motors (2) in one circuit are 9: at most 8',
    )
    expect(() => small.set({ henry: 0.001 })).toThrow(RangeError)
    wiring.connect('3/2', coil({ ohms: 100, henry: 1 }))
    expect(() => wiring.wire('3/1', '3/2')).toThrow(RangeError)
    expect(wiring.connections()).toHaveLength(6)
    expect(wiring.terminal('3/2').node).not.toBe(wiring.terminal('3/1').node)
    wiring.connect('3/1', sineWave({ frequencyHz: 1, lowVolts: 0, highVolts: 1 }))
  })

  it('limit the waves of a circuit to 16', () => {
    const wiring = new Wiring()
    const wave = sineWave({ frequencyHz: 1, lowVolts: 0, highVolts: 1 })
    for (let count = 0; count < 16; count++) wiring.connect('3/1', wave)
    expect(() => wiring.connect('3/1', wave)).toThrow('waves in one circuit are 17: at most 16; disconnect some first')
    wiring.connect('3/2', wave)
    expect(() => wiring.wire('3/1', '3/2')).toThrow('at most 16')
  })
})
