import type { Connection, SlotView } from './bench-types.ts'

export const TITLE_HEIGHT = 28
export const LINE_HEIGHT = 26
const GAP = 14
const WIRE = 'wire'

/** Places slots with pins below each other; lengths are in pixels, from the top. An empty slot is shown while something is connected to its pins. */
export function layoutOf(slots: readonly SlotView[], connections: readonly Connection[]) {
  let top = 0
  const blocks = slots.flatMap((slot) => {
    const places = placesOf(slot, connections)
    if (places.length === 0) return []
    const begin = top
    top += TITLE_HEIGHT
    const rows = places.map((place) => {
      const elements = connections.filter(({ kind, pins: [first] }) => first === place && kind !== WIRE)
      const height = Math.max(1, elements.length) * LINE_HEIGHT
      const volts = slot.pins.find(({ pin }) => place === `${slot.slot}/${pin}`)?.volts
      top += height
      return { place, volts, top: top - height, height, elements }
    })
    const height = top - begin
    top += GAP
    return [{ slot, top: begin, height, rows }]
  })
  /** Pins with their elements. Each element has a line of its own beside the pin. `volts`: undefined while no module is there. */
  const rows = blocks.flatMap((block) => block.rows)
  const middles = new Map(rows.map((row) => [row.place, row.top + LINE_HEIGHT / 2]))
  /** Connections between pins, with the heights of these. Each is a vertical line of its own. */
  const links = connections
    .filter(({ pins }) => pins.length > 1)
    .map((connection) => ({ connection, ys: connection.pins.map((place) => middles.get(place) ?? 0) }))
  return { blocks, rows, links, height: top }
}

function placesOf({ slot, pins }: SlotView, connections: readonly Connection[]): readonly string[] {
  const wired = connections.flatMap((connection) => connection.pins.filter((place) => place.startsWith(`${slot}/`)))
  return [...new Set([...pins.map(({ pin }) => `${slot}/${pin}`), ...wired])].sort()
}
