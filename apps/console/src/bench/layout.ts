import type { Connection, PinView, SlotView } from './bench-types.ts'

/** A pin in the picture, and what is connected to it. Lengths are in pixels, from the top of the picture. */
export interface PinRow {
  /** `slot/pin`. */
  readonly place: string
  readonly pin: number
  /** Undefined while no module is there. */
  readonly measured: PinView | undefined
  /** Middle of its terminal. */
  readonly y: number
  readonly top: number
  readonly height: number
  /** Elements drawn beside this pin. */
  readonly elements: readonly { readonly connection: Connection; readonly y: number }[]
}

/** A slot with its pins. */
export interface Block {
  readonly slot: SlotView
  readonly top: number
  readonly height: number
  readonly rows: readonly PinRow[]
}

/** A connection between pins: a vertical line in a lane. */
export interface Link {
  readonly connection: Connection
  readonly lane: number
  /** Where its pins are, from the top one to the lowest. */
  readonly ys: readonly number[]
}

export interface Layout {
  readonly blocks: readonly Block[]
  readonly links: readonly Link[]
  readonly lanes: number
  readonly height: number
}

export const TITLE_HEIGHT = 28
const LINE_HEIGHT = 24
const ROW_PADDING = 4
const GAP = 14
export const WIRE = 'wire'

/** Places slots with pins below each other. An empty slot is shown while something is connected to its pins. */
export function layoutOf(slots: readonly SlotView[], connections: readonly Connection[]): Layout {
  let top = 0
  const blocks = slots.flatMap((slot): Block[] => {
    const pins = pinsOf(slot, connections)
    if (pins.length === 0) return []
    const begin = top
    top += TITLE_HEIGHT
    const rows = pins.map((pin): PinRow => {
      const place = `${slot.slot}/${pin}`
      const hanging = connections.filter(({ kind, pins: [first] }) => first === place && kind !== WIRE)
      const [rowTop, height] = [top, Math.max(1, hanging.length) * LINE_HEIGHT + ROW_PADDING]
      const lineY = (line: number): number => rowTop + ROW_PADDING / 2 + LINE_HEIGHT * (line + 0.5)
      top += height
      const measured = slot.pins.find((each) => each.pin === pin)
      const elements = hanging.map((connection, line) => ({ connection, y: lineY(line) }))
      return { place, pin, measured, y: lineY(0), top: rowTop, height, elements }
    })
    const height = top - begin
    top += GAP
    return [{ slot, top: begin, height, rows }]
  })
  const places = new Map(blocks.flatMap(({ rows }) => rows.map(({ place, y }) => [place, y])))
  const links = linksOf(connections, places)
  return { blocks, links, lanes: Math.max(0, ...links.map(({ lane }) => lane + 1)), height: Math.max(0, top - GAP) }
}

function pinsOf({ slot, pins }: SlotView, connections: readonly Connection[]): readonly number[] {
  const wired = connections.flatMap((connection) =>
    connection.pins.map((place) => place.split('/').map(Number)).flatMap(([at, pin = 0]) => (at === slot ? [pin] : [])),
  )
  return [...new Set([...pins.map(({ pin }) => pin), ...wired])].sort((one, other) => one - other)
}

/** Gives lanes to connections between pins, the shortest first, so that no two overlap in a lane. */
function linksOf(connections: readonly Connection[], places: ReadonlyMap<string, number>): readonly Link[] {
  const spans = connections
    .filter(({ pins }) => pins.length > 1)
    .map((connection) => ({
      connection,
      ys: connection.pins.map((place) => places.get(place) ?? 0).sort((one, other) => one - other),
    }))
    .sort((one, other) => lengthOf(one.ys) - lengthOf(other.ys))
  const taken: (readonly [from: number, to: number])[][] = []
  return spans.map(({ connection, ys }) => {
    const [from, to] = endsOf(ys)
    const free = taken.findIndex((lane) => lane.every(([begin, end]) => to < begin || from > end))
    const lane = free === -1 ? taken.length : free
    taken[lane] = [...(taken[lane] ?? []), [from, to]]
    return { connection, ys, lane }
  })
}

export function endsOf(ys: readonly number[]): readonly [from: number, to: number] {
  return [ys[0] ?? 0, ys.at(-1) ?? 0]
}

function lengthOf(ys: readonly number[]): number {
  const [from, to] = endsOf(ys)
  return to - from
}
