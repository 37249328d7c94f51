import { useSignal } from '@preact/signals'
import { useMemo } from 'preact/hooks'
import { ChoiceInput } from '../controls/choice-input.tsx'
import { useStore } from '../store/use-store.ts'
import { useTexts } from '../texts/use-texts.ts'

/** What a user can choose, in milliseconds. */
const WINDOWS: Readonly<Record<string, number>> = {
  '1 s': 1000,
  '10 s': 10_000,
  '1 min': 60_000,
  '10 min': 600_000,
  '1 h': 3_600_000,
}
const DEFAULT_WINDOW = 60_000

/** Which time a chart shows. Several charts can share one. */
export type ChartView = ReturnType<typeof useChartView>

export function useChartView() {
  /** How much time, in milliseconds. */
  const windowMs = useSignal(DEFAULT_WINDOW)
  /** The date at which it stands still; undefined: it follows the time. */
  const pausedAt = useSignal<number | undefined>(undefined)
  return useMemo(() => ({ windowMs, pausedAt }), [windowMs, pausedAt])
}

/** Chooses the time that charts show, and holds them. */
export function ChartControls({ view: { windowMs, pausedAt } }: { readonly view: ChartView }) {
  const texts = useTexts()
  const { wallTime } = useStore()
  return (
    <span class="chart-controls">
      <ChoiceInput
        label={texts.chart.window}
        choices={Object.keys(WINDOWS)}
        value={Object.keys(WINDOWS).find((name) => WINDOWS[name] === windowMs.value)}
        onChange={(choice) => {
          windowMs.value = WINDOWS[choice] ?? DEFAULT_WINDOW
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
    </span>
  )
}
