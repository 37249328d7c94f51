import { type ReadonlySignal, useSignal, useSignalEffect } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { quantityText, timeOfDay } from '../parts/format.ts'
import { useStore } from '../store/use-store.ts'
import { useTexts } from '../texts/use-texts.ts'
import { ChartControls, type ChartView, useChartView } from './chart-controls.tsx'
import type { Mark, Plot, Series } from './chart-plot.ts'
import type { Trace } from './trace.ts'

/** A horizontal line that the user can move with the pointer or the arrow keys. */
interface MovableLine {
  readonly label: string
  readonly value: number
  readonly unit: string
  readonly min: number
  readonly max: number
  /** How far an arrow key moves it; the page keys ten times so far. */
  readonly step: number
  /** The user moves it. */
  readonly onMove: (value: number) => void
}

interface Properties {
  /** For screen readers: what the chart shows. */
  readonly label: string
  readonly trace: Trace
  /** As many as the trace has. */
  readonly series: readonly Series[]
  /** Alerts, for example; the newest hundred or so. */
  readonly marks?: readonly Mark[]
  /** A value that the user can move: a threshold. */
  readonly line?: MovableLine | undefined
  /** Shared with other charts, with its controls elsewhere: then the chart has neither controls nor legend. */
  readonly view?: ChartView
}

/** Pictures are at least so far apart, in milliseconds: all charts at the same moments, since a browser shows them together for less. */
const PICTURE_MS = 150
const PICTURES = 600
/** So many steps of an arrow key are one of a page key. */
const PAGE = 10
const NO_MARKS: readonly Mark[] = []

/** The course of values over the last second to the last hour. The library that draws it is loaded when the first chart is shown. */
export function Chart({ label, trace, series, marks = NO_MARKS, line, view }: Properties) {
  const { language } = useTexts()
  const { clock, wallTime } = useStore()
  const host = useRef<HTMLDivElement>(null)
  const plot = useSignal<Plot | undefined>(undefined)
  const own = useChartView()
  const { windowMs, pausedAt } = view ?? own
  const drawn = useSignal(0)
  const latest = useRef(marks)
  latest.current = marks
  // While the line moves, the scale stands still.
  const isMoving = useRef(false)
  const reach = useRef(line?.value)
  if (!isMoving.current) reach.current = line?.value
  const key = JSON.stringify([series, language])

  useEffect(() => {
    let isGone = false
    void import('./chart-plot.ts').then(({ Plot: Made }) => {
      if (isGone || host.current === null) return
      plot.value = new Made(host.current, {
        series,
        format: (value, unit) => quantityText(value, unit, language),
        formatTime: (date) => timeOfDay(date, language),
        marks: () => latest.current,
        reach: () => reach.current,
        onDrawn: () => {
          // Not read: a picture must not cause the next one.
          drawn.value = drawn.peek() + 1
        },
      })
    })
    return () => {
      isGone = true
      plot.peek()?.destroy()
      plot.value = undefined
    }
  }, [key])

  useSignalEffect(() => {
    const [made, shownMs, paused] = [plot.value, windowMs.value, pausedAt.value]
    if (made === undefined) return undefined
    let timer: { cancel(): void } | undefined
    const draw = (): void => {
      const now = paused ?? wallTime()
      if (!document.hidden) made.draw(trace.points(now - shownMs, now), now - shownMs, now)
      if (paused !== undefined) return
      const everyMs = Math.max(PICTURE_MS, shownMs / PICTURES)
      timer = clock.after((Math.round(clock.now() / everyMs) + 1) * everyMs - clock.now(), draw)
    }
    draw()
    return () => timer?.cancel()
  })

  return (
    <figure class="chart" aria-label={label}>
      <div class="canvas" ref={host}>
        {line !== undefined && (
          <ChartLine
            line={line}
            plot={plot}
            drawn={drawn}
            onMoving={(moves) => {
              isMoving.current = moves
              reach.current = line.value
            }}
          />
        )}
      </div>
      {view === undefined && (
        <figcaption>
          <ul class="legend">
            {series.map(({ label: name, color }) => (
              <li key={name} style={{ '--series': `var(--series-${color})` }}>
                {name}
              </li>
            ))}
          </ul>
          <ChartControls view={own} />
        </figcaption>
      )}
    </figure>
  )
}

interface LineProperties {
  readonly line: MovableLine
  readonly plot: ReadonlySignal<Plot | undefined>
  /** Changes with each picture: the scale may have moved. */
  readonly drawn: ReadonlySignal<number>
  /** The pointer begins or ends to move it. */
  readonly onMoving: (moves: boolean) => void
}

/** The handle of a line in a chart, as a slider. Outside of the picture it stays at the upper edge. */
function ChartLine({ line, plot, drawn, onMoving }: LineProperties) {
  const texts = useTexts()
  const host = useRef<HTMLDivElement>(null)
  const { label, value, unit, min, max, step } = line
  const move = (to: number): void => line.onMove(Math.round(Math.min(max, Math.max(min, to)) / step) * step)
  const drag = (event: PointerEvent): void => {
    const picture = host.current?.parentElement
    if (plot.value === undefined || picture === null || picture === undefined) return
    move(plot.value.valueAt(event.clientY - picture.getBoundingClientRect().top, unit))
  }
  const text = quantityText(value, unit, texts.language)
  return (
    <div
      ref={host}
      class="chart-line"
      role="slider"
      tabIndex={0}
      aria-orientation="vertical"
      aria-label={texts.chart.line(label, text)}
      aria-valuemin={min}
      aria-valuemax={max}
      aria-valuenow={value}
      aria-valuetext={text}
      data-picture={drawn.value}
      style={{ top: `${plot.value?.topOf(value, unit) ?? 0}px`, width: `${plot.value?.width ?? 0}px` }}
      onKeyDown={(event) => {
        const by = { ArrowUp: step, ArrowDown: -step, PageUp: step * PAGE, PageDown: -step * PAGE }[event.key]
        if (by === undefined) return
        event.preventDefault()
        move(value + by)
      }}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId)
        onMoving(true)
      }}
      onLostPointerCapture={() => onMoving(false)}
      onPointerMove={(event) => {
        if (event.currentTarget.hasPointerCapture(event.pointerId)) drag(event)
      }}
    >
      <span>{`${label} ${text}`}</span>
    </div>
  )
}
