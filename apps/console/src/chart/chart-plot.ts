import uPlot from 'uplot'
import type { Points } from './trace.ts'

/** One line of a chart. */
export interface Series {
  readonly label: string
  /** Unit of the API: lines of one unit share an axis. */
  readonly unit: string
  /** Number of its color, 1…6. */
  readonly color: number
}

/** A vertical line in a chart, at a date in milliseconds. */
export interface Mark {
  readonly at: number
  readonly label: string
}

export interface PlotOptions {
  readonly series: readonly Series[]
  readonly format: (value: number, unit: string) => string
  readonly formatTime: (date: number) => string
  readonly marks: () => readonly Mark[]
  /** A value that the picture includes: that of the line. */
  readonly reach: () => number | undefined
  /** The picture was drawn: the scales may have moved. */
  readonly onDrawn: () => void
}

const MS_PER_SECOND = 1000
const LINE_WIDTH = 1.5
/** Sides of a vertical axis, as uPlot numbers them. */
const LEFT = 3
const RIGHT = 1
const DASHES = [4, 3]
/** Space for the texts of a vertical axis, in pixels. */
const AXIS_SIZE = 76
const FONT = '11px system-ui, sans-serif'
/** Space around values that do not change, as a part of them. */
const PADDING = 0.1
/** The picture shows at least so much of a unit: noise and rounding stay small. */
const MIN_HEIGHTS: Readonly<Record<string, number>> = { mV: 1000, Hz: 10, mA: 10 }
/** Height of the axis of the time, and the least distance of its texts, in pixels. */
const TIME_SIZE = 28
const TIME_SPACE = 84
/** The line can be moved up by so much before the picture grows. */
const HEADROOM = 1.3
/** What a canvas takes from the style sheet. As declared colors their values are plain, without `light-dark()`. */
const COLORS = ['ink-soft', 'line', 'bad', ...Array.from({ length: 6 }, (_, index) => `series-${index + 1}`)]

for (const name of COLORS) CSS.registerProperty({ name: `--${name}`, syntax: '<color>', inherits: true, initialValue: 'gray' })

/** The picture of a chart, made by uPlot. Owns its canvas until `destroy`. */
export class Plot {
  readonly #plot: uPlot
  readonly #resize: ResizeObserver = new ResizeObserver(() => this.#plot.setSize(this.#size))

  constructor(
    private readonly host: HTMLElement,
    private readonly options: PlotOptions,
  ) {
    const { series, format, formatTime, reach } = options
    const units = [...new Set(series.map(({ unit }) => unit))]
    const color = (name: string) => () => getComputedStyle(host).getPropertyValue(`--${name}`)
    const axis = { stroke: color('ink-soft'), font: FONT, ticks: { stroke: color('line') } }
    const grid = { stroke: color('line'), width: 1 }
    const axes = [
      {
        ...axis,
        grid,
        size: TIME_SIZE,
        space: TIME_SPACE,
        values: (_: uPlot, splits: number[]) => splits.map((split) => formatTime(split * MS_PER_SECOND)),
      },
      ...units.map((unit, index) => ({
        ...axis,
        scale: scaleOf(unit),
        side: index === 0 ? LEFT : RIGHT,
        size: AXIS_SIZE,
        grid: index === 0 ? grid : { show: false },
        values: (_: uPlot, splits: number[]) => splits.map((split) => format(split, unit)),
      })),
    ]
    this.#plot = new uPlot(
      {
        ...this.#size,
        legend: { show: false },
        cursor: { show: false },
        scales: Object.fromEntries(units.map((unit) => [scaleOf(unit), { auto: true, range: rangeAround(unit, reach) }])),
        series: [
          {},
          ...series.map(({ label, unit, color: number }) => ({
            label,
            scale: scaleOf(unit),
            stroke: color(`series-${number}`),
            width: LINE_WIDTH,
            points: { show: false },
          })),
        ],
        axes,
        hooks: { draw: [(plot) => this.#drawMarks(plot)] },
      },
      [[], ...series.map(() => [])] as unknown as uPlot.AlignedData,
      host,
    )
    this.#resize.observe(host)
  }

  get #size(): { width: number; height: number } {
    return { width: Math.max(1, this.host.clientWidth), height: Math.max(1, this.host.clientHeight) }
  }

  /** Shows points between two dates in milliseconds. */
  draw({ times, series }: Points, fromMs: number, toMs: number): void {
    this.#plot.batch(() => {
      this.#plot.setData([times, ...series] as uPlot.AlignedData, true)
      this.#plot.setScale('x', { min: fromMs / MS_PER_SECOND, max: toMs / MS_PER_SECOND })
    })
  }

  /** Width of the picture without its axes, in pixels. */
  get width(): number {
    return this.#plot.over.clientWidth
  }

  /** Where a value is, in pixels from the top of the host; undefined: outside of the picture. */
  topOf(value: number, unit: string): number | undefined {
    const { over } = this.#plot
    const top = this.#plot.valToPos(value, scaleOf(unit))
    return top >= 0 && top <= over.clientHeight ? top + over.offsetTop : undefined
  }

  /** The value at a place, in pixels from the top of the host. */
  valueAt(top: number, unit: string): number {
    const { over } = this.#plot
    return this.#plot.posToVal(Math.min(over.clientHeight, Math.max(0, top - over.offsetTop)), scaleOf(unit))
  }

  destroy(): void {
    this.#resize.disconnect()
    this.#plot.destroy()
  }

  #drawMarks(plot: uPlot): void {
    const { ctx, bbox } = plot
    ctx.save()
    ctx.strokeStyle = ctx.fillStyle = getComputedStyle(this.host).getPropertyValue('--bad')
    ctx.textAlign = 'left'
    ctx.setLineDash(DASHES)
    ctx.font = `${11 * devicePixelRatio}px system-ui, sans-serif`
    for (const { at, label } of this.options.marks()) {
      const x = plot.valToPos(at / MS_PER_SECOND, 'x', true)
      if (x < bbox.left || x > bbox.left + bbox.width) continue
      ctx.beginPath()
      ctx.moveTo(x, bbox.top)
      ctx.lineTo(x, bbox.top + bbox.height)
      ctx.stroke()
      ctx.fillText(label, x + 3, bbox.top + 11 * devicePixelRatio)
    }
    ctx.restore()
    this.options.onDrawn()
  }
}

function scaleOf(unit: string): string {
  return `unit ${unit}`
}

/** From zero for values above it; never empty. */
function rangeAround(unit: string, reach: () => number | undefined) {
  const least = MIN_HEIGHTS[unit] ?? 1
  return (_: uPlot, min: number | null, max: number | null): [number, number] => {
    const [low, high] = [Math.min(0, min ?? 0), Math.max(least, max ?? least, (reach() ?? 0) * HEADROOM)]
    return [low, high + (high - low) * PADDING]
  }
}
