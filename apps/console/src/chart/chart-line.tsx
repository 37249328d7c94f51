import type { ReadonlySignal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import { quantityText } from '../parts/format.ts'
import { useLanguage, useTexts } from '../texts/use-texts.ts'
import type { Plot } from './chart-plot.ts'

/** A horizontal line that the user can move with the pointer or the arrow keys. */
export interface MovableLine {
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
  readonly line: MovableLine
  readonly plot: ReadonlySignal<Plot | undefined>
  /** Changes with each picture: the scale may have moved. */
  readonly drawn: ReadonlySignal<number>
  /** The pointer begins or ends to move it. */
  readonly onMoving: (moves: boolean) => void
}

const PAGE = 10

/** The handle of a line in a chart, as a slider. Outside of the picture it stays at the upper edge. */
export function ChartLine({ line, plot, drawn, onMoving }: Properties) {
  const texts = useTexts()
  const language = useLanguage()
  const host = useRef<HTMLDivElement>(null)
  const { label, value, unit, min, max, step } = line
  const move = (to: number): void => line.onMove(Math.round(Math.min(max, Math.max(min, to)) / step) * step)
  const drag = (event: PointerEvent): void => {
    const picture = host.current?.parentElement
    if (plot.value === undefined || picture === null || picture === undefined) return
    move(plot.value.valueAt(event.clientY - picture.getBoundingClientRect().top, unit))
  }
  const text = quantityText(value, unit, language)
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
