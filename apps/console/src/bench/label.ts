import type { Language } from '../texts/use-texts.ts'
import type { Operation, Values } from './api-document.ts'
import type { Connection } from './bench-types.ts'

const PREFIXES = [
  [1e9, 'G'],
  [1e6, 'M'],
  [1e3, 'k'],
  [1, ''],
  [1e-3, 'm'],
  [1e-6, 'µ'],
  [1e-9, 'n'],
  [1e-12, 'p'],
] as const
/** Units that take a prefix; others are written as they are. */
const PREFIXED = ['V', 'A', 'Ω', 'Hz', 'F', 'H', 'W']
const DIGITS = 3

/** A number as engineers write it: 10000 in `Ω` is `10 kΩ`. */
export function engineering(value: number, unit: string, language: Language): string {
  const [factor, prefix] = (PREFIXED.includes(unit) && PREFIXES.find(([each]) => Math.abs(value) >= each)) || ([1, ''] as const)
  const text = (value / factor).toLocaleString(language, { maximumSignificantDigits: DIGITS })
  return unit === '' ? text : `${text} ${prefix}${unit}`
}

/** The settings of an element that tell it from others, in a few letters: `10 kΩ → 3.3 V`. Empty: it has none. */
export function shortLabel(
  { settings }: Pick<Connection, 'settings'>,
  kind: Pick<Operation, 'body'> | undefined,
  language: Language,
): string {
  const needed = (kind?.body?.required ?? []).flatMap((name) => {
    const value = settings[name]
    return typeof value === 'number' ? [engineering(value, unitOf(kind, name), language)] : []
  })
  return [...needed, ...rangeOf(settings, language), ...endOf(settings, kind, language)].join(' ')
}

function rangeOf({ low_volts: low, high_volts: high }: Values, language: Language): readonly string[] {
  if (typeof low !== 'number' || typeof high !== 'number') return []
  return [`${low.toLocaleString(language)}…${engineering(high, 'V', language)}`]
}

/** The voltage of its other end, if that is not ground. */
function endOf({ volts }: Values, kind: Pick<Operation, 'body'> | undefined, language: Language): readonly string[] {
  if (typeof volts !== 'number' || volts === 0 || kind?.body?.required.includes('volts') === true) return []
  return [`→ ${engineering(volts, 'V', language)}`]
}

function unitOf(kind: Pick<Operation, 'body'> | undefined, name: string): string {
  const schema = kind?.body?.properties[name]
  return schema !== undefined && 'x-unit' in schema ? (schema['x-unit'] ?? '') : ''
}
