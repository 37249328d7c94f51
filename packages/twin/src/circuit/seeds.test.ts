import { ManualClock } from '@slotwire/core'
import { describe, expect, it } from 'vitest'
import { button, noise } from './elements/index.ts'
import { Wiring } from './wiring.ts'

const hiss = noise({ frequencyHz: 100, lowVolts: 0, highVolts: 5, ohms: 100 })
const MOMENTS = Array.from({ length: 50 }, (_, index) => index * 7.3)

function voltsOn(name: string, seed?: number, element = hiss): readonly number[] {
  const wiring = new Wiring(undefined, seed)
  wiring.connect(name, element)
  return MOMENTS.map((atMs) => wiring.terminal(name).voltsAt(atMs))
}

describe('noise', () => {
  it('without a seed is the same for the same seed of the twin and the same pin', () =>
    expect(voltsOn('3/1', 7)).toEqual(voltsOn('3/1', 7)))

  it.each([
    ['on another pin', voltsOn('3/2', 7)],
    ['on another device', voltsOn('3/1', 8)],
    ['of another element', voltsOn('3/1', 7, noise({ frequencyHz: 100, lowVolts: 0, highVolts: 5, ohms: 101 }))],
  ])('without a seed differs %s', (_, other) => {
    const one = voltsOn('3/1', 7)
    expect(other.filter((volts, index) => Math.abs(volts - (one[index] ?? 0)) < 0.1).length).toBeLessThan(MOMENTS.length / 4)
  })

  it('without a seed differs between two of its kind on one pin, and keeps its values while settings change', () => {
    const wiring = new Wiring()
    const [one, two] = [wiring.connect('3/1', hiss), wiring.connect('3/1', hiss)]
    const { seed } = one.settings
    expect(two.settings['seed']).not.toBe(seed)
    one.set({ highVolts: 4 })
    expect(one.settings['seed']).toBe(seed)
  })

  it('is the same on every pin and device if it has a seed', () => {
    const given = noise({ frequencyHz: 100, lowVolts: 0, highVolts: 5, seed: 3 })
    expect(voltsOn('3/1', 7, given)).toEqual(voltsOn('5/2', 8, given))
  })
})

it('a button without a seed bounces differently on another pin, and the same in another run', () => {
  const edges = (name: string): readonly number[] => {
    const wiring = new Wiring(new ManualClock())
    wiring.connect(name, button({ volts: 5, ohms: 10 })).set({ pressed: true })
    wiring.connect(name, noise({ frequencyHz: 1, lowVolts: 0, highVolts: 0, ohms: 1000 }))
    const { node } = wiring.terminal(name)
    return Array.from({ length: 6 }).reduce<number[]>((found) => [...found, node.edgeAfter(found.at(-1) ?? 0)], [])
  }
  expect(edges('3/1')).toEqual(edges('3/1'))
  expect(edges('3/1')).not.toEqual(edges('3/2'))
})
