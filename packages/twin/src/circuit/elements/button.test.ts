import { describe, expect, it } from 'vitest'
import { equidistant, nodeOf, seenChanges } from '../circuit.testkit.ts'
import { button, resistor } from './index.ts'

/** Times at which the contact moves, seen at a pin with 10 kΩ to 5 V. */
function moves(element: ReturnType<typeof button>, untilMs = 100): { atMs: number; pressed: boolean }[] {
  const node = nodeOf(element, resistor({ ohms: 10_000, volts: 5 }))
  const seen = seenChanges(node, { lowVolts: 1, highVolts: 4 }, true, equidistant(untilMs, untilMs * 1000))
  return seen.map(({ byMs, isHigh }) => ({ atMs: byMs, pressed: !isHigh }))
}

function pressed(options: Parameters<typeof button>[0], atMs: number) {
  return button(options).with({ pressed: true }, atMs)
}

describe('button', () => {
  it('is open until it is pressed, then connects to ground', () => {
    const pulledUp = resistor({ ohms: 10_000, volts: 5 })
    expect(nodeOf(button(), pulledUp).voltsAt(0)).toBe(5)
    expect(nodeOf(button({ pressed: true }), pulledUp).voltsAt(0)).toBeCloseTo(0, 5)
  })

  it('moves once per press and once per release if bounces is 0', () =>
    expect(moves(pressed({ bounces: 0 }, 10).with({ pressed: false }, 30))).toEqual([
      { atMs: 10, pressed: true },
      { atMs: 30, pressed: false },
    ]))

  it('opens again as often as bounces says, within bounceMs, then stays closed', () => {
    const found = moves(pressed({ bounces: 3, bounceMs: 5 }, 10))
    expect(found.map((move) => move.pressed)).toEqual([true, false, true, false, true, false, true])
    expect(found[0]?.atMs).toBeCloseTo(10, 6)
    expect(found.at(-1)?.atMs).toBeLessThan(15)
  })

  it('releases by itself after pressForMs', () => {
    const held = button({ bounces: 1, bounceMs: 2 }).with({ pressForMs: 50 }, 10)
    const found = moves(held)
    expect(found.map((move) => move.pressed)).toEqual([true, false, true, false, true, false])
    expect(found[3]?.atMs).toBeCloseTo(60, 6)
    expect([9, 10, 59, 60].map((atMs) => held.settingsAt(atMs)['pressed'])).toEqual([false, true, true, false])
  })

  it('ignores a second press, and a second release', () => {
    expect(moves(pressed({ bounces: 0 }, 10).with({ pressed: true }, 20)).length).toBe(1)
    expect(moves(button({ bounces: 0 }).with({ pressed: false }, 20)).length).toBe(0)
  })

  it('stays pressed if it is pressed during pressForMs, and releases early if it is released', () => {
    const held = button({ bounces: 0 }).with({ pressForMs: 50 }, 10)
    expect(moves(held.with({ pressed: true }, 20))).toEqual([{ atMs: 10, pressed: true }])
    expect(moves(held.with({ pressed: false }, 20)).map(({ atMs }) => atMs)).toEqual([
      expect.closeTo(10, 6),
      expect.closeTo(20, 6),
    ])
  })

  it('keeps its press while another setting changes', () => {
    const held = button({ bounces: 0 }).with({ pressForMs: 50 }, 10).with({ ohms: 100 }, 20)
    expect(moves(held).map(({ atMs }) => atMs)).toEqual([10, 60])
    expect(held.settingsAt(30)).toEqual({ volts: 0, ohms: 100, bounces: 0, bounceMs: 2, pressed: true })
  })

  it('stops bouncing when it is pressed or released again', () => {
    const found = moves(pressed({ bounces: 10, bounceMs: 50 }, 10).with({ pressed: false }, 20))
    expect(found.filter(({ atMs }) => atMs > 70.001)).toEqual([])
    expect(found.at(-1)?.pressed).toBe(false)
  })

  it('bounces the same for the same seed, differently for another seed, and differently each time', () => {
    const twice = (seed: number) => moves(pressed({ seed }, 10).with({ pressed: false }, 30).with({ pressed: true }, 50))
    expect(twice(5)).toEqual(twice(5))
    expect(twice(6)).not.toEqual(twice(5))
    const offsets = moves(pressed({ seed: 5 }, 0)).map(({ atMs }) => atMs.toFixed(2))
    const again = moves(pressed({ seed: 5 }, 0).with({ pressed: false }, 20).with({ pressed: true }, 40))
    expect(again.filter(({ atMs }) => atMs > 39.9).map(({ atMs }) => (atMs - 40).toFixed(2))).not.toEqual(offsets)
  })

  it('refuses pressForMs before it is connected, and pressing and releasing at once', () => {
    expect(() => button.from({ pressForMs: 50 })).toThrow('pressForMs is unknown')
    expect(() => button().with({ pressed: false, pressForMs: 50 }, 0)).toThrow(
      'pressForMs and pressed exclude each other when pressed is false',
    )
    expect(() => button().with({ pressForMs: 0 }, 0)).toThrow('pressForMs is out of range: 0.001…3600000 ms, not 0')
  })
})
