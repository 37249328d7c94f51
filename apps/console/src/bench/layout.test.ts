import { describe, expect, it } from 'vitest'
import type { Connection, SlotView } from './bench-types.ts'
import { layoutOf } from './layout.ts'

const slot = (number: number, pins: number): SlotView => ({
  slot: number,
  pins: Array.from({ length: pins }, (_, index) => ({ pin: index + 1, volts: index, milliampere: 0 })),
  actions: [],
  defects: [],
})
const connection = (number: number, kind: string, ...pins: readonly string[]): Connection => ({
  connection: number,
  kind,
  pins,
  description: '',
  settings: {},
})

describe('the picture of the pins', () => {
  it('has slots with pins, and empty slots while something is connected to them', () => {
    const { blocks, height } = layoutOf([slot(0, 0), slot(3, 2), slot(5, 0)], [connection(1, 'source', '5/6')])
    expect(blocks.map(({ slot: { slot: number }, rows }) => [number, rows.map(({ place }) => place)])).toEqual([
      [3, ['3/1', '3/2']],
      [5, ['5/6']],
    ])
    expect(blocks[1]?.rows[0]?.measured).toBeUndefined()
    expect(height).toBe((blocks[1]?.top ?? 0) + (blocks[1]?.height ?? 0))
  })

  it('is empty without slots', () => {
    expect(layoutOf([], [])).toEqual({ blocks: [], links: [], lanes: 0, height: 0 })
  })

  it('gives each element a line of its own, beside the first of its pins', () => {
    const { blocks } = layoutOf(
      [slot(3, 2)],
      [connection(1, 'source', '3/1'), connection(2, 'resistor', '3/1', '3/2'), connection(3, 'wire', '3/1', '3/2')],
    )
    const [first, second] = blocks[0]?.rows ?? []
    expect(first?.elements.map(({ connection: { connection: number } }) => number)).toEqual([1, 2])
    expect(first?.elements[0]?.y).toBe(first?.y)
    expect(second?.elements).toEqual([])
    expect(second?.top).toBe((first?.top ?? 0) + (first?.height ?? 0))
  })

  it.each([
    [
      'apart',
      [
        ['3/1', '3/2'],
        ['3/3', '3/4'],
      ],
      [0, 0],
    ],
    [
      'inside each other',
      [
        ['3/1', '3/4'],
        ['3/2', '3/3'],
      ],
      [0, 1],
    ],
    [
      'that share a pin',
      [
        ['3/1', '3/2'],
        ['3/2', '3/3'],
      ],
      [0, 1],
    ],
    ['upside down', [['3/4', '3/1']], [0]],
  ])('draws wires %s in lanes', (_, wires, lanes) => {
    const { links } = layoutOf(
      [slot(3, 4)],
      wires.map((pins, index) => connection(index + 1, 'wire', ...pins)),
    )
    expect(links.map(({ lane }) => lane)).toEqual(lanes)
    for (const { ys } of links) expect([...ys].sort((one, other) => one - other)).toEqual(ys)
  })
})
