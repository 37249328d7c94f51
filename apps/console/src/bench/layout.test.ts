import { describe, expect, it } from 'vitest'
import type { Connection, SlotView } from './bench-types.ts'
import { layoutOf } from './layout.ts'

const slot = (number: number, pins: number): SlotView => ({
  slot: number,
  pins: Array.from({ length: pins }, (_, index) => ({ pin: index + 1, volts: index, milliampere: 0 })),
})
const connection = (number: number, kind: string, ...pins: readonly string[]): Connection => ({
  name: `c${number}`,
  kind,
  pins,
  description: '',
  settings: {},
})

describe('the picture of the pins', () => {
  it('has slots with pins, and empty slots while something is connected to them', () => {
    const { blocks, rows } = layoutOf([slot(0, 0), slot(3, 2), slot(5, 0)], [connection(1, 'source', '5/6')])
    expect(blocks.map(({ slot: { slot: number } }) => number)).toEqual([3, 5])
    expect(rows.map(({ place, volts }) => [place, volts])).toEqual([
      ['3/1', 0],
      ['3/2', 1],
      ['5/6', undefined],
    ])
    expect(layoutOf([], [])).toEqual({ blocks: [], rows: [], links: [], height: 0 })
  })

  it('gives each element a line of its own, beside the first of its pins, and links pins', () => {
    const { rows, links } = layoutOf(
      [slot(3, 2)],
      [connection(1, 'source', '3/1'), connection(2, 'resistor', '3/1', '3/2'), connection(3, 'wire', '3/1', '3/2')],
    )
    const [first, second] = rows
    expect(first?.elements.map(({ name }) => name)).toEqual(['c1', 'c2'])
    expect(second).toMatchObject({ elements: [], top: (first?.top ?? 0) + (first?.height ?? 0) })
    expect(links.map(({ connection: { name } }) => name)).toEqual(['c2', 'c3'])
    for (const { ys } of links) expect(ys).toEqual([(first?.top ?? 0) + 13, (second?.top ?? 0) + 13])
  })
})
