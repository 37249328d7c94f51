import type { Connection, SlotView } from './bench-types.ts'

/** A pin in the picture, and what is connected to it. Lengths are in pixels, from the top of the picture. */
export interface PinRow {
  /** `slot/pin`. */
  readonly place: string
  /** Undefined while no module is there. */
  readonly volts: number | undefined
  readonly top: number
  readonly height: number
  /** Elements, each with a line of its own beside this pin. */
  readonly elements: readonly Connection[]
}

/** A slot with its pins. */
export interface Block {
  readonly slot: SlotView
  readonly top: number
  readonly height: number
}

export interface Layout {
  readonly blocks: readonly Block[]
  readonly rows: readonly PinRow[]
  /** Connections between pins, with the heights of these. Each is a vertical line of its own. */
  readonly links: readonly { readonly connection: Connection; readonly ys: readonly number[] }[]
  readonly height: number
}

export const TITLE_HEIGHT = 28
export const LINE_HEIGHT = 26
const GAP = 14
const WIRE = 'wire'

/** Places slots with pins below each other. An empty slot is shown while something is connected to its pins. */
export function layoutOf(slots: readonly SlotView[], connections: readonly Connection[]): Layout {
  let top = 0
  const rows: PinRow[] = []
  const blocks = slots.flatMap((slot): Block[] => {
    const places = placesOf(slot, connections)
    if (places.length === 0) return []
    const begin = top
    top += TITLE_HEIGHT
    for (const place of places) {
      const elements = connections.filter(({ kind, pins: [first] }) => first === place && kind !== WIRE)
      const height = Math.max(1, elements.length) * LINE_HEIGHT
      const volts = slot.pins.find(({ pin }) => place === `${slot.slot}/${pin}`)?.volts
      rows.push({ place, volts, top, height, elements })
      top += height
    }
    const height = top - begin
    top += GAP
    return [{ slot, top: begin, height }]
  })
  const middles = new Map(rows.map((row) => [row.place, row.top + LINE_HEIGHT / 2]))
  const links = connections
    .filter(({ pins }) => pins.length > 1)
    .map((connection) => ({ connection, ys: connection.pins.map((place) => middles.get(place) ?? 0) }))
  return { blocks, rows, links, height: top }
}

function placesOf({ slot, pins }: SlotView, connections: readonly Connection[]): readonly string[] {
  const wired = connections.flatMap((connection) => connection.pins.filter((place) => place.startsWith(`${slot}/`)))
  return [...new Set([...pins.map(({ pin }) => `${slot}/${pin}`), ...wired])].sort()
}
