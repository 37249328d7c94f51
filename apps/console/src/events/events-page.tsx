import { Card } from '../parts/card.tsx'
import { useLanguage, useTexts } from '../texts/use-texts.ts'
import { EventRow } from './event-row.tsx'
import { FilterBar } from './filter-bar.tsx'
import { type JournalView, useJournal } from './use-journal.ts'

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
  const { error, events, shell } = useTexts()
  const language = useLanguage()
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
