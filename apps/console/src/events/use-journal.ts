import { computed, type ReadonlySignal, type Signal, useComputed, useSignal } from '@preact/signals'
import { isGap } from '@slotwire/client'
import { useContext, useEffect, useMemo } from 'preact/hooks'
import { MOST_RECORDS } from '../store/records.ts'
import { useStore } from '../store/use-store.ts'
import { SpokenContext } from '../texts/use-texts.ts'
import { Earlier } from './earlier.ts'
import { type Entry, type Filter, fits, type Line, linesOf } from './journal.ts'
import { sentenceOf } from './sentence.ts'

/** Lines that are added at a time: a long list is slow to draw. */
const STEP = 100

/** What the page shows of the journal. */
export interface Journal {
  readonly filter: Signal<Filter>
  readonly text: Signal<string>
  /** All that fit, newest first. */
  readonly lines: ReadonlySignal<readonly Line[]>
  /** How many of them are shown. */
  readonly shown: Signal<number>
  readonly isPaused: ReadonlySignal<boolean>
  /** Records that came since the pause. */
  readonly newer: ReadonlySignal<number>
  readonly earlier: Earlier
  readonly setPaused: (isPaused: boolean) => void
  /** Shows older lines, and loads them if they are not here. Pauses: what is read must not leave the memory. */
  readonly showOlder: () => void
}

/** The journal: what comes by the stream, and what was before, filtered. */
export function useJournal(): Journal {
  const store = useStore()
  const { list } = store.records
  const spoken = useContext(SpokenContext)
  const filter = useSignal<Filter>({ kinds: [], slot: undefined })
  const text = useSignal('')
  const shown = useSignal(STEP)
  const frozen = useSignal<readonly Entry[] | undefined>(undefined)
  const wanted = filter.value
  const earlier = useMemo(() => new Earlier(store, wanted), [store, wanted])
  useEffect(() => {
    shown.value = STEP
    void earlier.more()
    return () => earlier.close()
  }, [earlier, shown])
  const searched = useMemo(
    () => searchTexts((entry) => (isGap(entry) ? '' : (sentenceOf(entry, spoken.value) ?? ''))),
    [spoken.value],
  )
  const live = useComputed(() => frozen.value ?? list.value)
  const lines = useMemo(
    () =>
      computed(() => {
        const words = text.value.toLowerCase().split(/\s+/).filter(Boolean)
        const isWanted = (entry: Entry): boolean => fits(entry, wanted) && words.every((word) => searched(entry).includes(word))
        return linesOf(joined(earlier, live.value))
          .filter(({ entry }) => isWanted(entry))
          .reverse()
      }),
    [earlier, wanted, searched, text, live],
  )
  const newer = useMemo(
    () =>
      computed(() => {
        if (frozen.value === undefined) return 0
        const after = list.value.slice(list.value.lastIndexOf(frozen.value.at(-1) as Entry) + 1)
        return after.filter((entry) => fits(entry, wanted)).length
      }),
    [frozen, list, wanted],
  )
  return {
    filter,
    text,
    lines,
    shown,
    isPaused: useComputed(() => frozen.value !== undefined),
    newer,
    earlier,
    setPaused(isPaused) {
      frozen.value = isPaused ? list.peek() : undefined
      if (!isPaused) shown.value = STEP
    },
    showOlder() {
      frozen.value ??= list.peek()
      shown.value += STEP
      if (lines.peek().length < shown.peek()) void earlier.more()
    },
  }
}

/** Earlier and live entries, with a gap between if the first of the live ones left the memory. */
function joined({ entries, until }: Earlier, live: readonly Entry[]): readonly Entry[] {
  const first = live.find((entry) => !isGap(entry))
  const isWhole = live.length < MOST_RECORDS || (first !== undefined && 'id' in first && first['id'] === until)
  return [
    ...entries.value,
    ...(isWhole || entries.value.length === 0 ? [] : [{ kind: 'gap' as const, missing: undefined }]),
    ...live,
  ]
}

/** The text of an entry that is searched: its sentence and all its fields. Kept as long as the entry. */
function searchTexts(sentence: (entry: Entry) => string): (entry: Entry) => string {
  const known = new WeakMap<Entry, string>()
  return (entry) => {
    const text = known.get(entry) ?? `${sentence(entry)} ${JSON.stringify(entry)}`.toLowerCase()
    known.set(entry, text)
    return text
  }
}
