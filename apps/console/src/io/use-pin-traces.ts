import { effect, type ReadonlySignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { ReplyTo } from '../store/device-types.ts'
import type { Shown } from '../store/readings.ts'
import { useStore } from '../store/use-store.ts'
import { PinTraces } from './pin-traces.ts'

/** Keeps the course of the values of a slot while its page is shown, and what came before. */
export function usePinTraces(
  slot: number,
  values: ReadonlySignal<Shown<ReplyTo<'io', 'getInputValues'>>>,
  everyMs: number,
): PinTraces {
  const store = useStore()
  const { wallTime } = store
  const traces = store.kept(`io/${slot}/traces`, () => new PinTraces())
  useEffect(() => {
    const end = effect(() => {
      const { value, isStale } = values.value
      if (isStale) traces.interrupt(wallTime())
      else if (value !== undefined) traces.push(wallTime(), value.pins, everyMs)
    })
    return () => {
      end()
      traces.interrupt(wallTime())
    }
  }, [traces, values, everyMs])
  return traces
}
