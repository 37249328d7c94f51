import { computed, type ReadonlySignal, type Signal, useComputed, useSignal } from '@preact/signals'
import { isGap } from '@slotwire/client'
import { useContext, useEffect, useMemo } from 'preact/hooks'
import { MAX_RECORDS } from '../store/records.ts'
import { useStore } from '../store/use-store.ts'
import { LocaleContext } from '../texts/use-texts.ts'
import { Earlier } from './earlier.ts'
import { fits, type JournalEntry, type JournalFilter, type JournalLine, linesOf } from './journal.ts'
import { sentenceOf } from './sentence.ts'

/** Lines that are added at a time: a long list is slow to draw. */
const STEP = 100

/** What the page shows of the journal. */
export interface JournalView {
  readonly filter: Signal<JournalFilter>
  readonly text: Signal<string>
  /** All that fit, newest first. */
  readonly lines: ReadonlySignal<readonly JournalLine[]>
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
export function useJournal(): JournalView {
  const store = useStore()
  const { list } = store.records
  const locale = useContext(LocaleContext)
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
  const searched = useMemo(
    () => searchTexts((entry) => (isGap(entry) ? '' : (sentenceOf(entry, locale.value) ?? ''))),
    [locale.value],
  )
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
function searchTexts(sentence: (entry: JournalEntry) => string): (entry: JournalEntry) => string {
  const texts = new WeakMap<JournalEntry, string>()
  return (entry) => {
    const text = texts.get(entry) ?? `${sentence(entry)} ${JSON.stringify(entry)}`.toLowerCase()
    texts.set(entry, text)
    return text
  }
}
