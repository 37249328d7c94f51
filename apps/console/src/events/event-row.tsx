import { isGap, type JournalRecord } from '@slotwire/client'
import { useState } from 'preact/hooks'
import { Badge, type Tone } from '../parts/badge.tsx'
import { clockTime } from '../parts/format.ts'
import type { Texts } from '../texts/en.ts'
import { useTexts } from '../texts/use-texts.ts'
import type { JournalLine } from './journal.ts'
import { sentenceOf } from './sentence.ts'

const TONES: Readonly<Record<string, Tone>> = {
  alert: 'warn',
  protection: 'bad',
  device: 'accent',
  module: 'accent',
  watchdog: 'warn',
}
const FIRST_ERROR = 400
/** Not shown of a kind without a sentence: other columns have them, or they say nothing to people. */
const COMMON = ['id', 'at', 'up_ms', 'twin_ms', 'session', 'kind', 'slot']

/** One entry of the journal: opened it shows all fields. Drawn once, as an entry never changes. */
export function EventRow({ entry, holder }: Omit<JournalLine, 'key'>) {
  const texts = useTexts()
  // The records of the journal say null for an unknown number.
  if (isGap(entry)) return <li class="event gap">{texts.events.gap(entry.missing ?? undefined)}</li>
  return <RecordRow record={entry} holder={holder} />
}

function RecordRow({ record, holder }: { readonly record: JournalRecord; readonly holder: string | undefined }) {
  const texts = useTexts()
  const [isOpen, setOpen] = useState(false)
  const { kind, at, slot, status, count } = record
  const who = whoOf(record, holder, texts)
  const special = Object.entries(record).filter(([name]) => !COMMON.includes(name))
  const isError = kind === 'write' && Number(status) >= FIRST_ERROR
  return (
    <li class="event">
      <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>
          <time dateTime={String(at)}>{clockTime(Date.parse(String(at)), texts.language)}</time>
          <Badge tone={isError ? 'bad' : (TONES[kind] ?? 'quiet')}>{texts.events.kind(kind)}</Badge>
          <span class="where">{typeof slot === 'number' && texts.slot(slot)}</span>
          <span class="what">
            {sentenceOf(record, texts) ?? <code>{JSON.stringify(Object.fromEntries(special))}</code>}
            {Number(count) > 1 && ` (${texts.events.times(Number(count))})`}
            {who !== '' && <span class="who"> {who}</span>}
          </span>
        </summary>
        {isOpen && <pre tabIndex={0}>{JSON.stringify(record, undefined, 2)}</pre>}
      </details>
    </li>
  )
}

/** Of a write: the holder of the lease, the token, and the door. */
function whoOf({ kind, token, door }: JournalRecord, holder: string | undefined, { events }: Texts): string {
  if (kind !== 'write' && kind !== 'lease') return ''
  const names = [
    ...(holder === undefined ? [] : [events.by(holder)]),
    ...(typeof token === 'string' ? [events.token(token)] : []),
    ...(typeof door === 'string' ? [events.door(door)] : []),
  ]
  return names.join(' · ')
}
