import { useComputed } from '@preact/signals'
import { recordKinds } from '@slotwire/contract'
import { ChoiceInput } from '../controls/choice-input.tsx'
import { TextInput } from '../controls/text-input.tsx'
import { Card } from '../parts/card.tsx'
import { useStore } from '../store/use-store.ts'
import { useTexts } from '../texts/use-texts.ts'
import { EventRow } from './event-row.tsx'
import { type JournalView, useJournal } from './use-journal.ts'

/** The choice of all slots. */
const ALL = 'all'

/** The journal: what happened on the device, and who wrote what. */
export function EventsPage() {
  const texts = useTexts()
  const journal = useJournal()
  return (
    <>
      <h1>{texts.shell.places.events}</h1>
      <Card title={texts.events.lines.list} aside={<Counts journal={journal} />}>
        <FilterBar journal={journal} />
        <JournalList journal={journal} />
      </Card>
    </>
  )
}

function Counts({ journal: { lines, shown } }: { readonly journal: JournalView }) {
  const { events } = useTexts()
  const { length } = lines.value
  return <span class="muted number">{events.shown(Math.min(shown.value, length), length)}</span>
}

/** Newest first, under a heading for each day. */
function JournalList({ journal: { lines, shown, earlier, showOlder } }: { readonly journal: JournalView }) {
  const { error, events, shell, language } = useTexts()
  const state = earlier.state.value
  const isAll = state === 'end' && shown.value >= lines.value.length
  const rows = lines.value.slice(0, shown.value)
  let day = ''
  return (
    <>
      {rows.length === 0 && <p class="muted">{state === 'loading' ? shell.state.loading : events.lines.empty}</p>}
      <ol class="journal">
        {rows.flatMap(({ key, entry, holder }) => {
          const row = <EventRow key={key} entry={entry} holder={holder} />
          const date = 'at' in entry ? new Date(String(entry['at'])).toDateString() : day
          if (date === day) return [row]
          day = date
          return [
            <li key={`day ${date}`} class="day">
              {new Date(date).toLocaleDateString(language, { dateStyle: 'full' })}
            </li>,
            row,
          ]
        })}
      </ol>
      {earlier.problem.value !== undefined && <p class="error">{error(earlier.problem.value)}</p>}
      <footer class="line">
        {isAll ? (
          <span class="muted">{events.lines.end}</span>
        ) : (
          <button type="button" aria-disabled={state === 'loading'} onClick={showOlder}>
            {state === 'loading' ? shell.state.loading : events.lines.earlier}
          </button>
        )}
        <small class="muted">{events.kept}</small>
      </footer>
    </>
  )
}

/** Chooses what of the journal is shown: kinds, a slot, words; and holds it still. */
function FilterBar({ journal: { filter, text, isPaused, newer, setPaused } }: { readonly journal: JournalView }) {
  const texts = useTexts()
  const { events } = texts
  const { modules, records } = useStore()
  // As text: records come often, and seldom change it.
  const slots = useComputed(() => {
    const past = records.list.value.map((record) => ('slot' in record ? record['slot'] : undefined))
    const all = [...modules.list.value.map(({ slot }) => slot), ...past].filter((slot) => typeof slot === 'number')
    return JSON.stringify([...new Set(all)].sort((one, other) => one - other))
  })
  const selection = filter.value
  const { kinds, slot = ALL } = selection
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
        choices={[ALL, ...(JSON.parse(slots.value) as readonly number[])]}
        value={slot}
        textOf={(choice) => (choice === ALL ? events.filters.allSlots : texts.slot(choice))}
        onChange={(chosen) => {
          filter.value = { ...selection, slot: chosen === ALL ? undefined : chosen }
        }}
      />
      <TextInput
        label={events.filters.text}
        type="search"
        value={text.value}
        onText={(words) => {
          text.value = words
        }}
      />
      <button type="button" class={isPaused ? 'main' : ''} onClick={() => setPaused(!isPaused)}>
        {isPaused ? texts.chart.resume : texts.chart.pause}
      </button>
      {isPaused && <span class="muted number">{events.paused(newer.value)}</span>}
    </div>
  )
}
