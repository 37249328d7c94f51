import { useTexts } from '../texts/use-texts.ts'
import type { BenchApi } from './api-document.ts'
import type { Bench } from './bench-types.ts'
import { endsOf, type Link, layoutOf, TITLE_HEIGHT } from './layout.ts'
import { idOf, PinMark, TERMINAL_X } from './pin-mark.tsx'

interface Properties {
  readonly bench: Pick<Bench, 'slots' | 'connections'>
  readonly api: BenchApi | undefined
  /** `slot/pin`. */
  readonly selected: string | undefined
  readonly onSelect: (place: string) => void
}

const FIRST_LANE = 14
const LANE_WIDTH = 12
const TITLE_Y = 16
const MODULE_WIDTH = TERMINAL_X

/** Slots, their pins, what is connected to them, and wires. A pin is chosen by a click, or with the arrow keys. */
export function WiringPicture({ bench, api, selected, onSelect }: Properties) {
  const texts = useTexts()
  const { blocks, links, lanes, height } = layoutOf(bench.slots, bench.connections)
  const places = blocks.flatMap(({ rows }) => rows.map(({ place }) => place))
  const current = places.find((place) => place === selected) ?? places[0]
  const move = (by: number): void => {
    const next = places[places.indexOf(current ?? '') + by]
    if (next === undefined) return
    onSelect(next)
    document.getElementById(idOf(next))?.focus()
  }
  if (places.length === 0) return <p class="muted">{texts.bench.noPins}</p>
  return (
    <svg
      class="wiring"
      role="radiogroup"
      aria-label={texts.bench.picture}
      style={{ height: `${height + 1}px` }}
      onKeyDown={(event) => {
        const by = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key]
        if (by === undefined && event.key !== ' ' && event.key !== 'Enter') return
        event.preventDefault()
        move(by ?? 0)
      }}
    >
      {blocks.map(({ slot, top, height: blockHeight }) => (
        <g key={slot.slot} aria-hidden="true" data-empty={slot.module === undefined}>
          <rect class="module" x="0.5" y={top + 0.5} width={MODULE_WIDTH} height={blockHeight} rx="6" />
          <text class="slot-title" x="12" y={top + TITLE_Y}>
            {texts.slot(slot.slot)} · {slot.module === undefined ? texts.device.empty : texts.service(slot.module)}
          </text>
          <path class="rule" d={`M1 ${top + TITLE_HEIGHT - 2.5}H${MODULE_WIDTH}`} />
        </g>
      ))}
      {blocks.flatMap(({ rows }) =>
        rows.map((row) => (
          <PinMark
            key={row.place}
            row={row}
            api={api}
            elementX={TERMINAL_X + FIRST_LANE + lanes * LANE_WIDTH}
            isSelected={row.place === selected}
            isInTabOrder={row.place === current}
            wiredTo={wiredTo(row.place, links)}
            onSelect={() => onSelect(row.place)}
          />
        )),
      )}
      {links.map((link) => (
        <WirePath key={link.connection.connection} link={link} />
      ))}
    </svg>
  )
}

function WirePath({ link: { connection, ys, lane } }: { readonly link: Link }) {
  const x = TERMINAL_X + FIRST_LANE + lane * LANE_WIDTH
  const [from, to] = endsOf(ys)
  return (
    <g class="wire" data-kind={connection.kind} aria-hidden="true">
      <path d={`M${x} ${from}V${to}${ys.map((y) => `M${TERMINAL_X} ${y}H${x}`).join('')}`} />
      {ys.map((y) => (
        <circle key={y} cx={x} cy={y} r="2.5" />
      ))}
    </g>
  )
}

function wiredTo(place: string, links: readonly Link[]): readonly string[] {
  return links.flatMap(({ connection: { pins } }) => (pins.includes(place) ? pins.filter((other) => other !== place) : []))
}
