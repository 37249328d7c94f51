import { ManualClock } from '@slotwire/core'
import { catalog } from '@slotwire/device/twin'
import { parseScenario } from '@slotwire/scenario'
import { describe, expect, it } from 'vitest'
import { barLine, lengthOf, ProgressBar } from './scenario-progress.ts'

const scenario = parseScenario('until: 10s\nsteps:\n  - at: 20s\n    short: 3/2\n  - after: 10s\n    disconnect: 3/2\n', {
  file: 'brown-out.yaml',
  catalog,
})

function terminal() {
  const written: string[] = []
  return { written, columns: 80, write: (text: string) => written.push(text) }
}

it('lengthOf adds the times of steps and end', () => expect(lengthOf(scenario)).toBe(40_000))

describe('barLine', () => {
  it('shows twin time and the number of the scenario', () => {
    const position = { scenario, number: 2, count: 10, atMs: () => 10_000 }
    expect(barLine(position, 80)).toBe('██████──────────────────  25 %  2/10  brown-out  10 s of 40 s')
    expect(barLine({ ...position, atMs: () => 41_000 }, 80)).toContain(' 100 %  2/10  brown-out  40 s of 40 s')
  })

  it('fits into a line of the terminal', () => {
    expect(barLine({ scenario, number: 1, count: 1, atMs: () => 0 }, 40)).toHaveLength(39)
    // Each of these characters takes two columns.
    const wide = { ...scenario, name: '電源電源電源' }
    expect(barLine({ scenario: wide, number: 1, count: 1, atMs: () => 0 }, 44)).toMatch(/ 1\/1 {2}電源電$/)
  })
})

describe('ProgressBar', () => {
  it('draws while a scenario runs, and erases the bar at the end', async () => {
    const clock = new ManualClock()
    const shown = terminal()
    const bar = new ProgressBar(shown, clock)
    bar.follow({ scenario, number: 1, count: 1, atMs: () => clock.now() * 100 })
    await clock.advance(200)
    expect(shown.written.map((text) => text.slice(5))).toEqual([
      expect.stringContaining('10 s of 40 s'),
      expect.stringContaining('20 s of 40 s'),
    ])
    expect(shown.written.every((text) => text.startsWith('\r\x1b[2K'))).toBe(true)
    bar.erase()
    bar.erase()
    expect(shown.written.slice(2)).toEqual(['\r\x1b[2K'])
    expect(clock.pending).toBe(0)
  })

  it.each([0, undefined])('draws on a terminal whose reported width is %s', async (columns) => {
    const clock = new ManualClock()
    const shown = { ...terminal(), columns }
    const bar = new ProgressBar(shown, clock)
    bar.follow({ scenario, number: 1, count: 1, atMs: () => 0 })
    await clock.advance(100)
    bar.erase()
    expect(shown.written[0]).toContain('brown-out')
  })

  it('draws nothing for a scenario that ends immediately', async () => {
    const clock = new ManualClock()
    const shown = terminal()
    const bar = new ProgressBar(shown, clock)
    bar.follow({ scenario, number: 1, count: 1, atMs: () => 0 })
    await clock.advance(99)
    bar.erase()
    expect([shown.written, clock.pending]).toEqual([[], 0])
  })

  it('draws nothing without a terminal', async () => {
    const clock = new ManualClock()
    new ProgressBar(undefined, clock).follow({ scenario, number: 1, count: 1, atMs: () => 0 })
    expect(clock.pending).toBe(0)
  })
})
