import { escaped, visible } from '@slotwire/core'
import type { Failure } from '../run/result.ts'
import { scale, timeLabel, titleOf, voltsLabel } from './chart.ts'
import { failureLines } from './format-report.ts'

/** Longest line of text in a picture, in characters. */
const MAX_LINE = 115
const COLORS = ['#0969da', '#1a7f37', '#8250df']

/** A failure as SVG: its text, and the waveforms of the pins concerned. Undefined if it has no waveform. */
export function drawFailure(failure: Failure): string | undefined {
  const { waveforms, file, line } = failure
  const [first] = waveforms
  if (first === undefined) return undefined
  const { fromMs, toMs } = first
  const lanes = waveforms.map(({ pin, columns }, index) => {
    const [low, high] = scale(columns)
    return {
      title: titleOf(pin),
      lowLabel: `${voltsLabel(low)} V`,
      middleLabel: `${voltsLabel((low + high) / 2)} V`,
      highLabel: `${voltsLabel(high)} V`,
      low,
      high,
      color: COLORS[index % COLORS.length] ?? '',
      values: columns.map(({ lowVolts, highVolts }) => [lowVolts, highVolts] as const),
    }
  })
  return drawLanes({
    title: `${visible(file)}:${line}: ${waveforms.map(({ pin }) => titleOf(pin)).join(', ')}`,
    fromMs,
    toMs,
    notes: failureLines(failure).map((text) => (text.length > MAX_LINE ? `${text.slice(0, MAX_LINE - 1)}…` : text)),
    lanes,
    times: [
      { atMs: fromMs, text: timeLabel(fromMs), anchor: 'start' },
      { atMs: toMs, text: timeLabel(toMs), anchor: 'end' },
    ],
  })
}

/** A measured value over time, in a picture. */
export interface Lane {
  readonly title: string
  /** Text at the lowest and the highest value, and between them. */
  readonly lowLabel: string
  readonly middleLabel?: string
  readonly highLabel: string
  readonly low: number
  readonly high: number
  /** In CSS. */
  readonly color: string
  /** Lowest and highest value of equal intervals. */
  readonly values: readonly (readonly [low: number, high: number])[]
}

/** A moment in a picture. */
export interface Mark {
  readonly atMs: number
  readonly text: string
  readonly anchor?: 'start' | 'end'
}

export interface Drawing {
  /** What a screen reader says. */
  readonly title: string
  readonly fromMs: number
  readonly toMs: number
  /** Lines of text above the lanes. */
  readonly notes?: readonly string[]
  readonly lanes: readonly Lane[]
  /** Times on the axis. */
  readonly times: readonly Mark[]
  /** Highlighted moments. */
  readonly events?: readonly Mark[]
}

/** Sizes and places, in pixels. */
const WIDTH = 860
const LEFT = 190
const RIGHT = 24
const TOP = 64
const LANE = 58
const GAP = 22
const BOTTOM = 34
const NOTE = 18

const STYLE = `
  text { font: 13px system-ui, -apple-system, 'Segoe UI', Roboto, Helvetica, Arial, sans-serif; fill: #57606a }
  .name { fill: #1f2328; font-weight: 600 }
  .unit { font-size: 11px }
  .event { font-size: 12px; font-weight: 600; fill: #cf222e }
  .marker { stroke: #cf222e; stroke-dasharray: 4 3 }
  .grid { stroke: #d8dee4 }
  .lane path { stroke-width: 1.8; stroke-linejoin: round; fill-opacity: .12 }`

/** Draws values over time as SVG, one lane below the other. */
export function drawLanes({ title, fromMs, toMs, notes = [], lanes, times, events = [] }: Drawing): string {
  const top = TOP + notes.length * NOTE
  const height = top + lanes.length * (LANE + GAP) + BOTTOM
  const bottom = height - BOTTOM
  const x = (ms: number): number => round(LEFT + ((ms - fromMs) / (toMs - fromMs)) * (WIDTH - LEFT - RIGHT))
  const noted = notes.map((note, index) => `<text x="20" y="${TOP - NOTE + index * NOTE}">${escaped(note)}</text>`)
  const axis = times.map(
    ({ atMs, text, anchor = 'middle' }) => `<path class="grid" d="M${x(atMs)} ${top - 8}V${bottom}"/>
<text class="unit" x="${x(atMs)}" y="${bottom + 18}" text-anchor="${anchor}">${escaped(text)}</text>`,
  )
  const marked = events.map(
    ({ atMs, text, anchor = 'start' }) => `<path class="marker" d="M${x(atMs)} ${top - 22}V${bottom}"/>
<text class="event" x="${x(atMs) + (anchor === 'end' ? -6 : 6)}" y="${top - 26}" text-anchor="${anchor}">${escaped(text)}</text>`,
  )
  const pictures = lanes.map((lane, index) => drawLane(lane, top + index * (LANE + GAP) + LANE))
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img">
<title>${escaped(title)}</title>
<style>${STYLE}
</style>
<rect width="${WIDTH}" height="${height}" rx="8" fill="#fff"/>
${[...noted, ...axis, ...pictures, ...marked].join('\n')}
</svg>
`
}

function drawLane({ title, lowLabel, middleLabel, highLabel, low, high, color, values }: Lane, base: number): string {
  const y = (value: number): number => round(base - ((value - low) / (high - low)) * LANE)
  const highs = outline(values.map(([, highest]) => y(highest)))
  const lows = outline(values.map(([lowest]) => y(lowest)))
  const middle =
    middleLabel === undefined
      ? ''
      : `<text class="unit" x="${LEFT - 8}" y="${base - LANE / 2 + 6}" text-anchor="end">${escaped(middleLabel)}</text>\n`
  return `<g class="lane">
<text class="name" x="20" y="${base - LANE / 2 + 4}">${escaped(title)}</text>
<text class="unit" x="${LEFT - 8}" y="${base - LANE + 9}" text-anchor="end">${escaped(highLabel)}</text>
${middle}<text class="unit" x="${LEFT - 8}" y="${base + 4}" text-anchor="end">${escaped(lowLabel)}</text>
<path class="grid" d="M${LEFT} ${base}H${WIDTH - RIGHT}"/>
<path fill="${color}" d="M${LEFT} ${base}L${highs.join('L')}V${base}Z"/>
<path fill="none" stroke="${color}" d="M${highs.join('L')}L${lows.reverse().join('L')}"/>
</g>`
}

/** Points of a line through one height per interval, without those inside a level stretch. */
function outline(heights: readonly number[]): string[] {
  const points = heights.map((height, step) => {
    const x = round(LEFT + ((step + 0.5) / heights.length) * (WIDTH - LEFT - RIGHT))
    return `${x} ${height}`
  })
  return points.filter((_, step) => heights[step] !== heights[step - 1] || heights[step] !== heights[step + 1])
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}
