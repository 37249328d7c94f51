import type { JournalRecord } from '@slotwire/client'
import { RAILS } from '@slotwire/core'
import { quantityText } from '../parts/format.ts'
import type { Texts } from '../texts/en.ts'
import { modulesIn } from './journal.ts'

/** A record as a short plain sentence; undefined for kinds and events that have none. */
export function sentenceOf(record: JournalRecord, texts: Texts): string | undefined {
  const template = texts.events.sentences[keyOf(record)]
  return template?.replace(/\{(\w+)\}/g, (_, name: string) => fieldText(name, record, texts))
}

/** `device up`, `module arrived`, `alert`. */
function keyOf({ kind, event, state, timeout }: JournalRecord): string {
  if (kind === 'watchdog' && event === 'set' && timeout === 0) return 'watchdog off'
  const what = kind === 'device' ? state : event
  return typeof what === 'string' ? `${kind} ${what}` : kind
}

/** The text of a field: its name, not its value, says what it means. */
function fieldText(name: string, record: JournalRecord, texts: Texts): string {
  const { word, slots } = texts.events
  const value = record[name]
  const modules = modulesIn(record)
  const taken = modules.filter(({ from }) => from !== undefined)
  switch (name) {
    case 'timeout':
    case 'after_milliseconds':
      return quantityText(Number(value), 'ms', texts.language)
    case 'alerts':
      return texts.io.alerts(value as readonly string[])
    case 'pin':
      return typeof record['name'] === 'string' ? `${Number(value)} (${record['name']})` : String(value)
    case 'body':
      return bodyText(value, texts)
    case 'missing':
      return RAILS.map((rail) => [rail, Number((value as Readonly<Record<string, number>>)[`rail_${rail}_milliwatt`])] as const)
        .filter(([, milliwatt]) => milliwatt > 0)
        .map(([rail, milliwatt]) => `${texts.device.rails[rail]} ${quantityText(milliwatt, 'mW', texts.language)}`)
        .join(', ')
    case 'modules':
      return slots(modules.map(({ slot }) => slot))
    case 'taken':
      return slots(taken.map(({ slot }) => slot))
    case 'former':
      return [...new Set(taken.map(({ from }) => from?.holder))].join(', ')
    case 'result':
      return modules.map(({ slot, result = '' }) => `${slots([slot])}: ${word(result)}`).join(', ')
    case 'service':
      return texts.service(String(value))
    case 'counter':
      return texts.system.counter(String(value))
    default:
      return word(String(value))
  }
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
