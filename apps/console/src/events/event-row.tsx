import { useSignal } from '@preact/signals'
import { isGap, type JournalRecord } from '@slotwire/client'
import { useContext } from 'preact/hooks'
import { Badge, type Tone } from '../parts/badge.tsx'
import { clockTime } from '../parts/format.ts'
import type { Texts } from '../texts/en.ts'
import { LocaleContext, useTexts } from '../texts/use-texts.ts'
import type { JournalEntry, JournalLine } from './journal.ts'
import { sentenceOf } from './sentence.ts'

const TONES: Readonly<Record<string, Tone>> = {
  alert: 'warn',
  protection: 'bad',
  device: 'accent',
  module: 'accent',
  watchdog: 'warn',
}
const FIRST_ERROR = 400

/** One entry of the journal: opened it shows all fields. Drawn once, as an entry never changes. */
export function EventRow({ entry, holder }: Omit<JournalLine, 'key'>) {
  const texts = useTexts()
  if (isGap(entry)) return <li class="event gap">{texts.events.gap(missingIn(entry))}</li>
  return <RecordRow record={entry} holder={holder} />
}

function RecordRow({ record, holder }: { readonly record: JournalRecord; readonly holder: string | undefined }) {
  const locale = useContext(LocaleContext).value
  const { texts, language } = locale
  const isOpen = useSignal(false)
  const { kind, at, slot, status, count } = record
  const who = whoOf(record, holder, texts)
  const isError = kind === 'write' && Number(status) >= FIRST_ERROR
  return (
    <li class="event">
      <details
        onToggle={({ currentTarget }) => {
          isOpen.value = currentTarget.open
        }}
      >
        <summary>
          <time dateTime={String(at)}>{clockTime(Date.parse(String(at)), language)}</time>
          <Badge tone={isError ? 'bad' : (TONES[kind] ?? 'quiet')}>{texts.events.kind(kind)}</Badge>
          <span class="where">{typeof slot === 'number' && texts.slot(slot)}</span>
          <span class="what">
            {sentenceOf(record, locale) ?? <code>{JSON.stringify(fieldsOf(record))}</code>}
            {Number(count) > 1 && ` (${texts.events.times(Number(count))})`}
            {who !== '' && <span class="who"> {who}</span>}
          </span>
        </summary>
        {isOpen.value && <pre tabIndex={0}>{JSON.stringify(record, undefined, 2)}</pre>}
      </details>
    </li>
  )
}

/** Of a write: the holder of the lease, the token, and the door. */
function whoOf({ kind, token, door }: JournalRecord, holder: string | undefined, { events }: Texts): string {
  if (kind !== 'write' && kind !== 'lease') return ''
  const doors: Readonly<Record<string, string>> = events.doors
  const names = [
    ...(holder === undefined ? [] : [events.by(holder)]),
    ...(typeof token === 'string' ? [events.token(token)] : []),
    ...(typeof door === 'string' ? [doors[door] ?? door] : []),
  ]
  return names.join(' · ')
}

/** What a kind without a sentence says. */
function fieldsOf({
  id: _,
  at: _at,
  up_ms: _up,
  twin_ms: _twin,
  session: _session,
  kind: _kind,
  slot: _slot,
  ...fields
}: JournalRecord) {
  return fields
}

/** The records of the journal say null for an unknown number. */
function missingIn({ missing }: Extract<JournalEntry, { kind: 'gap' }>): number | undefined {
  return typeof missing === 'number' ? missing : undefined
}
