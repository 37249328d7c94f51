import { useSignal, useSignalEffect } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { quantityText, timeOfDay } from '../parts/format.ts'
import { useStore } from '../store/use-store.ts'
import { useLanguage } from '../texts/use-texts.ts'
import { ChartControls, type ChartView, useChartView } from './chart-controls.tsx'
import { ChartLine, type MovableLine } from './chart-line.tsx'
import type { Mark, Plot, Series } from './chart-plot.ts'
import type { Trace } from './trace.ts'

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
const NO_MARKS: readonly Mark[] = []

/** The course of values over the last second to the last hour. The library that draws it is loaded when the first chart is shown. */
export function Chart({ label, trace, series, marks = NO_MARKS, line, view }: Properties) {
  const language = useLanguage()
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
              <li key={name} data-color={color}>
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
