/** Characters that a terminal would interpret, or that are invisible; without the joiners that scripts and emoji need. */
const INVISIBLE = /(?![\u{200c}\u{200d}])[\p{C}\p{Zl}\p{Zp}]/gu
const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }
const HEXADECIMAL = 16

/** Foreign text in one line that is safe for a terminal: `\n`, `\u{1b}`, and cut after `mostCharacters`. */
export function visible(text: string, mostCharacters = Number.POSITIVE_INFINITY): string {
  const cut = text.length > mostCharacters ? `${text.slice(0, mostCharacters)}…` : text
  return cut.replace(INVISIBLE, (each) => SHORT[each] ?? `\\u{${(each.codePointAt(0) ?? 0).toString(HEXADECIMAL)}}`)
}

/** JSON in one line that is safe for a terminal, and the same to a program. */
export function visibleJson(value: unknown): string {
  const escaped = (unit: string): string => `\\u${unit.charCodeAt(0).toString(HEXADECIMAL).padStart('ffff'.length, '0')}`
  return JSON.stringify(value ?? null).replace(INVISIBLE, (each) => each.split('').map(escaped).join(''))
}

/** Longest part of a word in a message. */
const SHOWN_LENGTH = 40

/** Quotes text of a user in a message. */
export function shown(text: string, mostCharacters = SHOWN_LENGTH): string {
  return text === '' ? '""' : visible(text, mostCharacters)
}

/** Text of a user in quotation marks, for a message. */
export function quoted(text: string): string {
  return `"${visible(text, SHOWN_LENGTH)}"`
}

/** Whether all characters of a text are visible. */
export function isVisible(text: string): boolean {
  return visible(text) === text
}
