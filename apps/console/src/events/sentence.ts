import type { JournalRecord } from '@slotwire/client'
import { quantityText } from '../parts/format.ts'
import type { Texts } from '../texts/en.ts'
import type { Spoken } from '../texts/use-texts.ts'

/** A record as a short plain sentence; undefined for kinds and events that have none. */
export function sentenceOf(record: JournalRecord, spoken: Spoken): string | undefined {
  const template = spoken.texts.events.sentence(keyOf(record))
  return template?.replace(/\{(\w+)\}/g, (_, name: string) => fieldText(name, record[name], spoken))
}

/** `device up`, `module arrived`, `alert`. */
function keyOf({ kind, event, state, timeout }: JournalRecord): string {
  if (kind === 'watchdog' && event === 'set' && timeout === 0) return 'watchdog off'
  const what = kind === 'device' ? state : event
  return typeof what === 'string' ? `${kind} ${what}` : kind
}

function fieldText(name: string, value: unknown, { texts, language }: Spoken): string {
  const { word } = texts.events
  if (typeof value === 'number')
    return /^timeout$|_milliseconds$/.test(name) ? quantityText(value, 'ms', language) : String(value)
  if (Array.isArray(value)) return value.map((each) => word(String(each))).join(', ')
  if (name === 'body') return bodyText(value, texts)
  if (typeof value === 'object' && value !== null)
    return Object.entries(value)
      .filter(([, milliwatt]) => Number(milliwatt) > 0)
      .map(([rail, milliwatt]) => `${word(rail)} ${quantityText(Number(milliwatt), 'mW', language)}`)
      .join(', ')
  const text = typeof value === 'string' || typeof value === 'boolean' ? String(value) : '–'
  if (name === 'service') return texts.service(text)
  return name === 'counter' ? texts.system.counter(text) : word(text)
}

/** The words and numbers in a value: `5 V 50`. */
function wordsOf(value: unknown, texts: Texts): string {
  if (typeof value !== 'object' || value === null) return texts.word(String(value))
  return Object.values(value)
    .map((each) => wordsOf(each, texts))
    .join(' ')
}

/** What a client wrote: ` (pin 2, state high)`. */
function bodyText(body: unknown, texts: Texts): string {
  if (typeof body !== 'object' || body === null) return ''
  const fields = Object.entries(body).map(([name, value]) => {
    if (Array.isArray(value)) return [...new Set(value.map((each) => wordsOf(each, texts)))].join(' · ')
    return `${texts.field(name)} ${texts.word(String(value))}`
  })
  return fields.length === 0 ? '' : ` (${fields.join(', ')})`
}
