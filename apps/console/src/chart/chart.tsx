import { useSignal, useSignalEffect } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { ChoiceInput } from '../controls/choice-input.tsx'
import { quantityText, timeOfDay } from '../parts/format.ts'
import { useStore } from '../store/use-store.ts'
import { useLanguage, useTexts } from '../texts/use-texts.ts'
import { ChartLine, type Line } from './chart-line.tsx'
import type { Mark, Plot, Series } from './chart-plot.ts'
import type { Trace } from './trace.ts'

export type { Line, Mark, Series }

interface Properties {
  /** For screen readers: what the chart shows. */
  readonly label: string
  readonly trace: Trace
  /** As many as the trace has. */
  readonly series: readonly Series[]
  /** Alerts, for example; the newest hundred or so. */
  readonly marks?: readonly Mark[]
  /** A value that the user can move: a threshold. */
  readonly line?: Line | undefined
}

const MS_PER_SECOND = 1000
/** What a user can choose, in milliseconds. */
const WINDOWS: Readonly<Record<string, number>> = {
  '1 s': 1000,
  '10 s': 10_000,
  '1 min': 60_000,
  '10 min': 600_000,
  '1 h': 3_600_000,
}
const DEFAULT_WINDOW = '1 min'
/** Pictures are at least so far apart, in milliseconds, and at least a thousandth of the window. */
const PICTURE_MS = 150
const PICTURES = 600
const NO_MARKS: readonly Mark[] = []

/** The course of values over the last second to the last hour. The library that draws it is loaded when the first chart is shown. */
export function Chart({ label, trace, series, marks = NO_MARKS, line }: Properties) {
  const texts = useTexts()
  const language = useLanguage()
  const { clock, wallTime } = useStore()
  const host = useRef<HTMLDivElement>(null)
  const plot = useSignal<Plot | undefined>(undefined)
  const shown = useSignal<string>(DEFAULT_WINDOW)
  const pausedAt = useSignal<number | undefined>(undefined)
  const drawn = useSignal(0)
  const latest = useRef(marks)
  latest.current = marks
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
        onDrawn: () => {
          drawn.value++
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
    const [made, windowMs, paused] = [plot.value, WINDOWS[shown.value] ?? MS_PER_SECOND, pausedAt.value]
    if (made === undefined) return undefined
    let timer: { cancel(): void } | undefined
    const draw = (): void => {
      const now = paused ?? wallTime()
      if (!document.hidden) made.draw(trace.points(now - windowMs, now), now - windowMs, now)
      if (paused === undefined) timer = clock.after(Math.max(PICTURE_MS, windowMs / PICTURES), draw)
    }
    draw()
    return () => timer?.cancel()
  })

  return (
    <figure class="chart" aria-label={label}>
      <div class="canvas" ref={host}>
        {line !== undefined && <ChartLine line={line} plot={plot} drawn={drawn} />}
      </div>
      <figcaption>
        <ul class="legend">
          {series.map(({ label: name, color }) => (
            <li key={name} data-color={color}>
              {name}
            </li>
          ))}
        </ul>
        <ChoiceInput
          label={texts.chart.window}
          choices={Object.keys(WINDOWS)}
          value={shown.value}
          onChange={(choice) => {
            shown.value = choice
          }}
        />
        <button
          type="button"
          aria-pressed={pausedAt.value !== undefined}
          onClick={() => {
            pausedAt.value = pausedAt.peek() === undefined ? wallTime() : undefined
          }}
        >
          {pausedAt.value === undefined ? texts.chart.pause : texts.chart.resume}
        </button>
      </figcaption>
    </figure>
  )
}
