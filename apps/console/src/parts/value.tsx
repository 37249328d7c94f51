import { type ReadonlySignal, useComputed } from '@preact/signals'
import type { ReadingState } from '../store/readings.ts'
import { useTexts } from '../texts/use-texts.ts'
import { quantity } from './format.ts'

interface Properties<Reply> {
  readonly reading: ReadonlySignal<ReadingState<Reply>>
  /** Takes the number out of the answer; undefined: it has none now. */
  readonly pick: (reply: Reply) => number | undefined
  /** Unit of the API: `mV`. The value is shown as people read it, in volts. */
  readonly unit: string
  /** For screen readers, if no text beside it names the value. */
  readonly label?: string
  /** Shows a word in place of the number: for a level. */
  readonly wordOf?: (value: number) => string
}

/** A number of the device with its unit. Grey, and with its age, when it is older than its interval. */
export function Value<Reply>({ reading, pick, unit, label, wordOf }: Properties<Reply>) {
  const texts = useTexts()
  // Only a change of the number renders it again, not each answer.
  const number = useComputed(() => (reading.value.value === undefined ? undefined : pick(reading.value.value)))
  const isStale = useComputed(() => reading.value.isStale)
  const age = useComputed(() => (reading.value.isStale ? texts.old(reading.value.ageMs) : ''))
  const shown = number.value === undefined ? undefined : quantity(number.value, unit, texts.language)
  const word = number.value === undefined ? undefined : wordOf?.(number.value)
  return (
    <span class="value" data-stale={isStale.value} aria-label={label}>
      <output class="number">{word ?? shown?.text ?? '–'}</output>
      {shown !== undefined && shown.unit !== '' && <span class="unit">{shown.unit}</span>}
      {isStale.value && shown !== undefined && <span class="age">{age}</span>}
    </span>
  )
}
