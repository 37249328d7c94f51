import { effect, type ReadonlySignal } from '@preact/signals'
import type { Past } from '@slotwire/client'
import { isoTime } from '@slotwire/core'
import { useEffect, useState } from 'preact/hooks'
import { Trace } from '../chart/trace.ts'
import type { ReplyTo } from '../store/device-types.ts'
import type { ReadingState } from '../store/readings.ts'
import { useStore } from '../store/use-store.ts'
import { type PinType, UNITS } from './pin-state.ts'

export type PinValues = ReplyTo<'io', 'getInputValues'>
type PinValue = PinValues['pins'][number]

/** The course of the values of all pins: one trace for each pin and type, so that volts and Hertz never mix. */
export class PinTraces {
  readonly #traces = new Map<string, Trace>()
  readonly #types = new Map<number, PinType>()

  of(pin: number, type: PinType): Trace {
    const key = `${pin} ${type}`
    const trace = this.#traces.get(key) ?? new Trace(1)
    this.#traces.set(key, trace)
    return trace
  }

  /** Adds what the device kept, as it answered at `nowMs`, after the values that are here. */
  fill({ ago_milliseconds: ages, series }: Past, nowMs: number): void {
    for (const { pin, pin_type: type, values } of series) {
      if (!Object.hasOwn(UNITS, String(type))) continue
      const trace = this.of(Number(pin), type as PinType)
      for (const [index, value] of values.entries()) {
        const isAfterGap = (values[index - 1] ?? null) === null
        // A line joins two values. What is before a gap ends there.
        if (value !== null || !isAfterGap)
          trace.push(nowMs - (ages[index] ?? 0), value === null ? [] : [value], isAfterGap ? 1 : Number.POSITIVE_INFINITY)
      }
      if ((values.at(-1) ?? null) !== null) this.#types.set(Number(pin), type as PinType)
    }
  }

  push(atMs: number, pins: readonly PinValue[], everyMs: number): void {
    for (const { pin, pin_type: type, value } of pins) {
      const before = this.#types.get(pin)
      if (before !== undefined && before !== type) this.of(pin, before).interrupt(atMs)
      this.#types.set(pin, type)
      this.of(pin, type).push(atMs, [value], everyMs)
    }
  }

  /** From now on the values are not known. */
  interrupt(atMs: number): void {
    for (const [pin, type] of this.#types) this.of(pin, type).interrupt(atMs)
  }
}

/** Keeps the course of the values of a slot while its page is shown, after what the device kept of them. */
export function usePinTraces(slot: number, values: ReadonlySignal<ReadingState<PinValues>>, everyMs: number): PinTraces {
  const store = useStore()
  const { wallTime } = store
  const traces = store.kept(`io/${slot}/traces`, () => new PinTraces())
  const [isFilled, setFilled] = useState(false)
  useEffect(() => {
    const end = new AbortController()
    setFilled(false)
    void store.device
      .past(`io/${slot}/input/values`, { signal: end.signal })
      .then((past) => traces.fill(past, wallTime()))
      // A device without a past, or which is busy, only lacks the past.
      .catch(() => undefined)
      .finally(() => setFilled(true))
    return () => end.abort()
  }, [traces])
  useEffect(() => {
    if (!isFilled) return undefined
    const end = effect(() => {
      const { value, isOld, isStale } = values.value
      if (isStale || isOld) traces.interrupt(wallTime())
      else if (value !== undefined) traces.push(wallTime(), value.pins, everyMs)
    })
    return () => {
      end()
      traces.interrupt(wallTime())
    }
  }, [traces, values, everyMs, isFilled])
  return traces
}

/** Values that the device kept until `nowMs`, from a date to another, as CSV: a column for each pin and unit. A gap is a row without values. */
export function pastCsv(
  { ago_milliseconds: ages, series }: Past,
  nowMs: number,
  [fromMs, toMs]: readonly [number, number],
  nameOf: (pin: number) => string,
): string {
  const names = series.map(({ pin, pin_type: type }) => {
    const unit = UNITS[type as PinType]
    return `"${nameOf(Number(pin)).replaceAll('"', '""')}${unit === '' ? '' : ` (${unit})`}"`
  })
  const rows = ages.flatMap((ago, row) => {
    const atMs = nowMs - ago
    return atMs < fromMs || atMs > toMs ? [] : [[isoTime(atMs), ...series.map(({ values }) => values[row] ?? '')]]
  })
  return [['time', ...names], ...rows].map((cells) => `${cells.join()}\n`).join('')
}
