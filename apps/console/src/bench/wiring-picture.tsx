import { quantityText } from '../parts/format.ts'
import { useTexts } from '../texts/use-texts.ts'
import type { Bench } from './bench-types.ts'
import { LINE_HEIGHT, layoutOf, TITLE_HEIGHT } from './layout.ts'

interface Properties {
  readonly bench: Pick<Bench, 'slots' | 'connections'>
  /** `slot/pin`. */
  readonly selected: string | undefined
  readonly onSelect: (place: string) => void
}

/** Right edge of the module, where the terminals of the pins are. */
const TERMINAL_X = 112
const VOLTAGE_X = 100
const FIRST_LANE = 14
const LANE_WIDTH = 12
const TEXT_GAP = 6
const MILLI = 1000
const KEYS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1, ' ': 0, Enter: 0 }

/** Slots, their pins, what is connected to them, and wires. A pin is chosen by a click, or with the arrow keys. */
export function WiringPicture({ bench, selected, onSelect }: Properties) {
  const texts = useTexts()
  const { blocks, rows, links, height } = layoutOf(bench.slots, bench.connections)
  const othersOf = (place: string): readonly string[] =>
    links.flatMap(({ connection: { pins } }) => (pins.includes(place) ? pins.filter((pin) => pin !== place) : []))
  const current = Math.max(
    0,
    rows.findIndex(({ place }) => place === selected),
  )
  const textX = laneX(links.length) + TEXT_GAP
  if (rows.length === 0) return <p class="muted">{texts.bench.noPins}</p>
  return (
    <svg
      class="wiring"
      role="radiogroup"
      aria-label={texts.bench.picture}
      style={{ height: `${height}px` }}
      onKeyDown={(event) => {
        const by = KEYS[event.key]
        if (by === undefined) return
        event.preventDefault()
        const next = rows[current + by]
        if (next === undefined) return
        onSelect(next.place)
        document.getElementById(idOf(next.place))?.focus()
      }}
    >
      {blocks.map(({ slot, top, height: blockHeight }) => (
        <g key={slot.slot} aria-hidden="true" data-empty={slot.module === undefined}>
          <rect class="module" x="0.5" y={top + 0.5} width={TERMINAL_X} height={blockHeight} rx="6" />
          <text class="slot-title" x="12" y={top + TITLE_HEIGHT / 2}>
            {texts.slot(slot.slot)} · {slot.module === undefined ? texts.device.empty : texts.service(slot.module)}
          </text>
        </g>
      ))}
      {rows.map(({ place, volts, top, height: rowHeight, elements }, index) => {
        const y = top + LINE_HEIGHT / 2
        const measured = volts === undefined ? '–' : quantityText(volts * MILLI, 'mV', texts.language)
        const hanging = [...elements.map(({ description }) => description), ...othersOf(place).map(texts.bench.wiredTo)]
        return (
          // biome-ignore lint/a11y/useSemanticElements: a picture has no native radio button
          <g
            key={place}
            class="pin-mark"
            role="radio"
            id={idOf(place)}
            tabindex={index === current ? 0 : -1}
            aria-checked={place === selected}
            aria-label={[`${texts.pin(place)}, ${measured}`, ...hanging].join('; ')}
            data-wired={hanging.length > 0}
            onClick={() => onSelect(place)}
          >
            <rect class="hit" x="1" y={top} height={rowHeight} rx="4" />
            <text class="pin-number" x="12" y={y}>
              {place.split('/')[1]}
            </text>
            <text class="volts" x={VOLTAGE_X} y={y}>
              {measured}
            </text>
            {elements.map(({ name, description }, line) => (
              <g key={name}>
                <path class="lead" d={`M${TERMINAL_X} ${y}V${y + line * LINE_HEIGHT}H${laneX(links.length)}`} />
                <foreignObject
                  class="element"
                  x={textX}
                  y={top + line * LINE_HEIGHT}
                  height={LINE_HEIGHT}
                  style={{ width: `calc(100% - ${textX}px)` }}
                >
                  <p title={description}>{description}</p>
                </foreignObject>
              </g>
            ))}
            <circle class="terminal" cx={TERMINAL_X} cy={y} r="4" />
          </g>
        )
      })}
      {links.map(({ connection, ys }, lane) => (
        <g key={connection.name} class="wire" data-kind={connection.kind} aria-hidden="true">
          <path
            d={`M${laneX(lane)} ${Math.min(...ys)}V${Math.max(...ys)}${ys.map((y) => `M${TERMINAL_X} ${y}H${laneX(lane)}`).join('')}`}
          />
          {ys.map((y) => (
            <circle key={y} cx={laneX(lane)} cy={y} r="2.5" />
          ))}
        </g>
      ))}
    </svg>
  )
}

function laneX(lane: number): number {
  return TERMINAL_X + FIRST_LANE + lane * LANE_WIDTH
}

function idOf(place: string): string {
  return `pin-${place.replace('/', '-')}`
}
