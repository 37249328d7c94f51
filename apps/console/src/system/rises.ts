import { type ReadonlySignal, useSignal } from '@preact/signals'
import type { Gap, JournalRecord } from '@slotwire/client'
import { useEffect } from 'preact/hooks'
import { useStore } from '../store/use-store.ts'

/** When a protection counter rose last. */
export interface Rise {
  /** RFC 3339. */
  readonly at: string
  readonly from: number
  readonly to: number
}

/** The last rise of each counter of a supply, from the history and the stream. At most one entry for each counter. */
export function useRises(slot: number): ReadonlySignal<ReadonlyMap<string, Rise>> {
  const store = useStore()
  const rises = useSignal<ReadonlyMap<string, Rise>>(new Map())
  useEffect(() => {
    const end = new AbortController()
    const live = store.onRecord((record) => {
      rises.value = withRise(rises.peek(), record, slot)
    })
    const read = async (): Promise<void> => {
      let past: ReadonlyMap<string, Rise> = new Map()
      const options = { kinds: ['protection'], slots: [slot], limit: 1000, signal: end.signal }
      for await (const record of store.device.history(options)) past = withRise(past, record, slot)
      rises.value = new Map([...past, ...rises.peek()])
    }
    // Without a history only rises from now on have a time.
    read().catch(() => undefined)
    return () => {
      end.abort()
      live()
    }
  }, [store, slot, rises])
  return rises
}

/** The rises with that of a record, if it is one. */
export function withRise(
  before: ReadonlyMap<string, Rise>,
  record: JournalRecord | Gap,
  slot: number,
): ReadonlyMap<string, Rise> {
  if (record.kind !== 'protection' || !('slot' in record) || record['slot'] !== slot) return before
  const { at, counter, from, to } = record
  return new Map([...before, [String(counter), { at: String(at), from: Number(from), to: Number(to) }]])
}
