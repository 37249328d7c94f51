import { ManualClock } from '@slotwire/core'
import { describe, expect, it } from 'vitest'
import { Wiring } from '../wiring.ts'
import { diode, encoder, recordedWave, relay, resistor, source } from './index.ts'

function bench() {
  const clock = new ManualClock()
  const wiring = new Wiring(clock, 3)
  const volts = (pin: string): number => Math.round(wiring.terminal(pin).voltsAt(clock.now()) * 1000) / 1000
  return { clock, wiring, volts }
}

/** A relay at 3/1 whose contact joins 12 V at 3/2 with 3/3; its coil is at 5 V from 0 ms on, and at 0 V from 100 ms on. */
async function switched(more: object = {}, freewheel = false) {
  const { clock, wiring } = bench()
  wiring.connect('3/2', source(12))
  wiring.connect('3/3', resistor(1000))
  wiring.connect('3/1', relay({ ohms: 100, henry: 0.1, operateMs: 5, releaseMs: 3, ...more }), { contact: ['3/2', '3/3'] })
  if (freewheel) wiring.connect('3/1', diode({ reversed: true }))
  const drive = wiring.connect('3/1', source({ volts: 5, ohms: 0.01 }))
  const moves: number[] = []
  const look = async (untilMs: number): Promise<void> => {
    for (let was = wiring.terminal('3/3').voltsAt(clock.now()); clock.now() < untilMs; ) {
      await clock.advance(0.01)
      const now = wiring.terminal('3/3').voltsAt(clock.now())
      if (Math.abs(now - was) > 1) moves.push(Math.round(clock.now() * 100) / 100)
      was = now
    }
  }
  await look(100)
  drive.disconnect()
  await look(200)
  return moves
}

describe('a relay', () => {
  it('moves its contact when its coil has pulled in and released, each after a time', async () => {
    // The current reaches 3.5 V / 100 Ω after 1 ms × ln(5 / 1.5) = 1.2 ms; without a path it falls at once.
    expect(await switched({ bounces: 0 })).toEqual([6.21, 103.01])
  })

  it('releases later with a freewheel diode', async () => {
    const [, released = 0] = await switched({ bounces: 0 }, true)
    expect(released).toBeGreaterThan(104)
    expect(released).toBeLessThan(105)
  })

  it('opens its contact when it is normally closed', async () =>
    expect(await switched({ bounces: 0, normallyClosed: true })).toEqual([6.21, 103.01]))

  it('bounces as often as its settings say, the same for the same seed', async () => {
    const moves = await switched({ bounces: 3, seed: 4 })
    expect(moves).toHaveLength(14)
    expect(moves[6]).toBeLessThan(7.3)
    expect(await switched({ bounces: 3, seed: 4 })).toEqual(moves)
  })

  it('stays open below its pull-in voltage', async () => expect(await switched({ bounces: 0, pullInVolts: 5.1 })).toEqual([]))

  it('follows a low output when its coil is at a supply', async () => {
    const { clock, wiring, volts } = bench()
    wiring.connect('3/1', relay(120, { volts: 5, bounces: 0 }), { contact: ['3/2', '3/3'] })
    wiring.connect('3/2', source(3))
    const low = wiring.connect('3/1', source(0))
    await clock.advance(50)
    expect(volts('3/3')).toBe(3)
    low.set({ volts: 5 })
    await clock.advance(50)
    expect(volts('3/3')).toBe(0)
  })

  it('ends with its connection', async () => {
    const { clock, wiring, volts } = bench()
    const made = wiring.connect('3/1', relay(120), { contact: ['3/2', '3/3'] })
    expect(made.terminals).toEqual(['3/1', '3/2', '3/3'])
    wiring.connect('3/1', source(5))
    wiring.connect('3/2', source(3))
    await clock.advance(50)
    expect(volts('3/3')).toBe(3)
    made.disconnect()
    await clock.advance(50)
    expect(volts('3/3')).toBe(0)
  })
})

describe('an encoder', () => {
  it.each([
    [60, ['10', '11', '01', '00', '10']],
    [-60, ['10', '00', '01', '11', '10']],
    [0, ['10', '10', '10', '10', '10']],
  ])('shows at %d rpm the outputs %s', async (rpm, levels) => {
    const { clock, wiring, volts } = bench()
    await clock.advance(7)
    // One line of 1 s; it begins an eighth after the edge of its first output.
    wiring.connect('3/1', encoder(rpm, { lines: 1, turns: 0.125 }), { other: '3/2' })
    const seen: string[] = []
    for (const _ of levels) {
      seen.push(`${volts('3/1') > 2 ? 1 : 0}${volts('3/2') > 2 ? 1 : 0}`)
      await clock.advance(250)
    }
    expect(seen).toEqual(levels)
  })

  it('keeps its position when its speed changes', async () => {
    const { clock, wiring } = bench()
    await clock.advance(500)
    const made = wiring.connect('3/1', encoder(120), { other: '3/2' })
    await clock.advance(1000)
    expect(made.settings['turns']).toBeCloseTo(2, 9)
    made.set({ rpm: 0 })
    await clock.advance(5000)
    expect(made.settings['turns']).toBeCloseTo(2, 9)
    made.set({ rpm: -60 })
    await clock.advance(500)
    expect(made.settings['turns']).toBeCloseTo(1.5, 9)
  })
})

describe('a recorded wave', () => {
  const csv = 'seconds,volts,other\n# a jump at 0.2 s\n0.1;1;9\n0.2;3;9\n0.2;5;9\n0.4;4;9\n'
  it.each([
    ['once', { repeat: false }, [1, 2, 5, 4.5, 4, 4]],
    ['again and again', {}, [1, 2, 5, 4.5, 1, 2]],
    ['of another column', { column: 2 }, [9, 9, 9, 9, 9, 9]],
  ])('begins when it is connected: %s', async (_name, more, expected) => {
    const { clock, wiring, volts } = bench()
    await clock.advance(1234)
    wiring.connect('3/1', recordedWave({ csv, ...more }))
    const seen: number[] = []
    for (const ms of [50, 50, 100, 100, 50]) {
      seen.push(volts('3/1'))
      await clock.advance(ms)
    }
    expect([...seen, volts('3/1')]).toEqual(expected)
  })
})
