import { ManualClock } from '@slotwire/core'
import { describe, expect, it } from 'vitest'
import { capacitor, diode, resistor, sineWave, squareWave } from '../elements/index.ts'
import { Wiring } from '../wiring.ts'

const PERIOD_MS = 1

/** A peak rectifier whose capacitor needs a thousand periods, with another wave `beside` the first if that has a frequency. */
function rectifier(wave: 'square' | 'sine', beside?: number) {
  const clock = new ManualClock()
  const wiring = new Wiring(clock)
  const levels = { lowVolts: -5, highVolts: 5, ohms: 1000 }
  wiring.connect('3/1', wave === 'square' ? squareWave(1000, levels) : sineWave(1000, levels))
  if (beside !== undefined) wiring.connect('3/1', sineWave(beside, levels))
  wiring.connect('3/1', diode(), { other: '3/2' })
  wiring.connect('3/2', capacitor(2e-5))
  wiring.connect('3/2', resistor(100_000))
  return { clock, node: wiring.terminal('3/2').node, wiring }
}

describe.each(['square', 'sine'] as const)('a peak rectifier of a %s wave', (wave) => {
  it('has the same voltage whether its periods are followed one by one or many at once', async () => {
    const { clock, wiring, node } = rectifier(wave)
    // A change of the wiring begins a new node with the state of the old one, so the periods before it are followed.
    for (let period = 0; period < 96; period += 8) {
      await clock.advance(8 * PERIOD_MS)
      wiring.connect('3/2', resistor(1e9)).disconnect()
    }
    for (const ms of [0.25, 0.7]) {
      const followed = wiring.terminal('3/2').voltsAt(clock.now() + ms)
      expect(Math.abs(node.voltsAt(clock.now() + ms) - followed)).toBeLessThan(0.004)
    }
  })

  it.each([undefined, 1000 * Math.PI])('has the same voltage at a moment whatever was read before, beside %s Hz', (beside) => {
    const { node } = rectifier(wave, beside)
    for (let ms = 0; ms < 160; ms += 33.7) node.voltsAt(ms)
    for (const ms of [160.3, 12.2]) expect(node.voltsAt(ms)).toBe(rectifier(wave, beside).node.voltsAt(ms))
  })

  it('settles, so that an hour later costs nothing more', () => {
    const { node } = rectifier(wave)
    const hourMs = 3_600_000
    expect(node.voltsAt(hourMs)).toBeGreaterThan(3)
    expect(node.regularFromMs).toBeLessThan(60_000)
    expect(node.voltsAt(2 * hourMs)).toBeCloseTo(node.voltsAt(hourMs), 6)
  })
})
