import { type ReadonlySignal, useComputed } from '@preact/signals'
import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { BenchData } from './bench-data.ts'
import type { Bench } from './bench-types.ts'

export const BenchContext = createContext<BenchData | undefined>(undefined)

/** The bench. Only below its page. */
export function useBench(): BenchData {
  const bench = useContext(BenchContext)
  if (bench === undefined) throw new Error('there is no bench here')
  return bench
}

/** A part of the bench; its signal changes only when the part does. `pick` must not depend on anything else. */
export function useBenchPart<Part>(pick: (bench: Bench) => Part): ReadonlySignal<Part | undefined> {
  const { overview } = useBench()
  const text = useComputed(() => {
    const { value } = overview.shown.value
    return value === undefined ? undefined : JSON.stringify(pick(value))
  })
  return useComputed(() => (text.value === undefined ? undefined : (JSON.parse(text.value) as Part)))
}
