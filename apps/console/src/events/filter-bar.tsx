import { useComputed } from '@preact/signals'
import { recordKinds } from '@slotwire/contract'
import { useId } from 'preact/hooks'
import { ChoiceInput } from '../controls/choice-input.tsx'
import { useStore } from '../store/use-store.ts'
import { useTexts } from '../texts/use-texts.ts'
import type { JournalView } from './use-journal.ts'

/** Chooses what of the journal is shown: kinds, a slot, words; and holds it still. */
export function FilterBar({ journal: { filter, text, isPaused, newer, setPaused } }: { readonly journal: JournalView }) {
  const texts = useTexts()
  const { events } = texts
  const id = useId()
  const { modules, records } = useStore()
  const slots = useComputed(() => {
    const past = records.list.value.map((record) => ('slot' in record ? record['slot'] : undefined))
    const all = [...modules.list.value.map(({ slot }) => slot), ...past].filter((slot) => typeof slot === 'number')
    return [...new Set(all)].sort((one, other) => one - other).join(' ')
  })
  const choices = [
    events.filters.allSlots,
    ...slots.value
      .split(' ')
      .filter(Boolean)
      .map((slot) => texts.slot(Number(slot))),
  ]
  const selection = filter.value
  const { kinds, slot } = selection
  return (
    <div class="filter">
      <fieldset class="chips">
        <legend>{events.filters.kinds}</legend>
        {recordKinds.map((kind) => (
          <label key={kind}>
            <input
              type="checkbox"
              checked={kinds.includes(kind)}
              onChange={({ currentTarget: { checked } }) => {
                filter.value = { ...selection, kinds: checked ? [...kinds, kind] : kinds.filter((other) => other !== kind) }
              }}
            />
            <span>{events.kind(kind)}</span>
          </label>
        ))}
      </fieldset>
      <ChoiceInput
        label={texts.device.slotColumn}
        choices={choices}
        value={slot === undefined ? events.filters.allSlots : texts.slot(slot)}
        onChange={(chosen) => {
          const index = choices.indexOf(chosen)
          filter.value = { ...selection, slot: index < 1 ? undefined : Number(slots.value.split(' ')[index - 1]) }
        }}
      />
      <span class="field">
        <label for={id}>{events.filters.text}</label>
        <input
          id={id}
          type="search"
          value={text.value}
          onInput={({ currentTarget }) => {
            text.value = currentTarget.value
          }}
        />
      </span>
      <button type="button" class={isPaused.value ? 'main' : ''} onClick={() => setPaused(!isPaused.value)}>
        {isPaused.value ? texts.chart.resume : texts.chart.pause}
      </button>
      {isPaused.value && <span class="muted number">{events.paused(newer.value)}</span>}
    </div>
  )
}
