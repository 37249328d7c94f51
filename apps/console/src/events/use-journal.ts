import { computed, useComputed, useSignal } from '@preact/signals'
import { isGap } from '@slotwire/client'
import { useEffect, useMemo } from 'preact/hooks'
import { MAX_RECORDS } from '../store/records.ts'
import { useStore } from '../store/use-store.ts'
import type { Texts } from '../texts/en.ts'
import { useTexts } from '../texts/use-texts.ts'
import { Earlier } from './earlier.ts'
import { fits, type JournalEntry, type JournalFilter, linesOf } from './journal.ts'
import { sentenceOf } from './sentence.ts'

/** Lines that are added at a time: a long list is slow to draw. */
const STEP = 100

/** What the page shows of the journal. */
export type JournalView = ReturnType<typeof useJournal>

/** The journal: what comes by the stream, and what was before, filtered. */
export function useJournal() {
  const store = useStore()
  const { list } = store.records
  const texts = useTexts()
  const filter = useSignal<JournalFilter>({ kinds: [], slot: undefined })
  const text = useSignal('')
  const shown = useSignal(STEP)
  const frozen = useSignal<readonly JournalEntry[] | undefined>(undefined)
  const selection = filter.value
  const earlier = useMemo(() => new Earlier(store, selection), [store, selection])
  useEffect(() => {
    shown.value = STEP
    void earlier.more()
    return () => earlier.close()
  }, [earlier, shown])
  const searched = useMemo(() => searchTexts(texts), [texts])
  const live = useComputed(() => frozen.value ?? list.value)
  const lines = useMemo(
    () =>
      computed(() => {
        const words = text.value.toLowerCase().split(/\s+/).filter(Boolean)
        const matches = (entry: JournalEntry): boolean =>
          fits(entry, selection) && words.every((word) => searched(entry).includes(word))
        return linesOf(joined(earlier, live.value))
          .filter(({ entry }) => matches(entry))
          .reverse()
      }),
    [earlier, selection, searched, text, live],
  )
  const newer = useMemo(
    () =>
      computed(() => {
        if (frozen.value === undefined) return 0
        const after = list.value.slice(list.value.lastIndexOf(frozen.value.at(-1) as JournalEntry) + 1)
        return after.filter((entry) => fits(entry, selection)).length
      }),
    [frozen, list, selection],
  )
  return {
    filter,
    text,
    /** All that fit, newest first. */
    lines,
    /** How many of them are shown. */
    shown,
    isPaused: frozen.value !== undefined,
    /** Records that came since the pause. */
    newer,
    earlier,
    setPaused: (isPaused: boolean): void => {
      frozen.value = isPaused ? list.peek() : undefined
      if (!isPaused) shown.value = STEP
    },
    /** Shows older lines, and loads them if they are not here. Pauses: what is read must not leave the memory. */
    showOlder: (): void => {
      frozen.value ??= list.peek()
      shown.value += STEP
      if (lines.peek().length < shown.peek()) void earlier.more()
    },
  }
}

/** Earlier and live entries, with a gap between if the first of the live ones left the memory. */
function joined({ entries, until }: Earlier, live: readonly JournalEntry[]): readonly JournalEntry[] {
  const first = live.find((entry) => !isGap(entry))
  const isWhole = live.length < MAX_RECORDS || (first !== undefined && 'id' in first && first['id'] === until)
  return [
    ...entries.value,
    ...(isWhole || entries.value.length === 0 ? [] : [{ kind: 'gap' as const, missing: undefined }]),
    ...live,
  ]
}

/** The text of an entry that is searched: its sentence and all its fields. Kept as long as the entry. */
function searchTexts(texts: Texts): (entry: JournalEntry) => string {
  const known = new WeakMap<JournalEntry, string>()
  return (entry) => {
    const sentence = (): string => (isGap(entry) ? '' : (sentenceOf(entry, texts) ?? ''))
    const text = known.get(entry) ?? `${sentence()} ${JSON.stringify(entry)}`.toLowerCase()
    known.set(entry, text)
    return text
  }
}
