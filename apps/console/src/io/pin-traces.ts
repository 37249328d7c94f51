import { effect, type ReadonlySignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { Trace } from '../chart/trace.ts'
import type { ReplyTo } from '../store/device-types.ts'
import type { ReadingState } from '../store/readings.ts'
import { useStore } from '../store/use-store.ts'
import type { PinType } from './pin-state.ts'

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

/** Keeps the course of the values of a slot while its page is shown, and what came before. */
export function usePinTraces(slot: number, values: ReadonlySignal<ReadingState<PinValues>>, everyMs: number): PinTraces {
  const store = useStore()
  const { wallTime } = store
  const traces = store.kept(`io/${slot}/traces`, () => new PinTraces())
  useEffect(() => {
    const end = effect(() => {
      const { value, isOld, isStale } = values.value
      if (isStale || isOld) traces.interrupt(wallTime())
      else if (value !== undefined) traces.push(wallTime(), value.pins, everyMs)
    })
    return () => {
      end()
      traces.interrupt(wallTime())
    }
  }, [traces, values, everyMs])
  return traces
}
