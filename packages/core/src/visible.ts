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

/** `a`, `a or b`, `a, b or c`. */
export function alternatives(words: readonly (string | number)[]): string {
  return enumeration(words, 'or')
}

/** `a`, `a and b`, `a, b and c`. */
export function enumeration(words: readonly (string | number)[], conjunction: 'and' | 'or' = 'and'): string {
  const last = words.at(-1) ?? ''
  return words.length < 2 ? `${last}` : `${words.slice(0, -1).join(', ')} ${conjunction} ${last}`
}

/** A longer name is not compared: it is no misspelling, and comparing costs length × length. */
const MAX_COMPARED_CHARACTERS = 64
/** A shorter name is not completed. */
const MIN_COMPLETED_CHARACTERS = 3

/** The one of `names` that was probably meant: one or two typing errors, another case, its beginning, or some of its words. */
export function nearest(written: string, names: readonly string[]): string | undefined {
  if (written.length > MAX_COMPARED_CHARACTERS) return undefined
  const wanted = bare(written)
  let match: string | undefined
  let fewest = Number.POSITIVE_INFINITY
  for (const name of names) {
    const slips = slipsBetween(wanted, bare(name))
    if (slips < fewest && slips < name.length && slips <= (name.length < 4 ? 1 : 2)) {
      match = name
      fewest = slips
    }
  }
  if (match !== undefined || wanted.length < MIN_COMPLETED_CHARACTERS) return match
  return names.find((name) => bare(name).startsWith(wanted)) ?? names.find((name) => hasWords(wordsOf(name), wordsOf(written)))
}

/** The remedy for an unknown name: `did you mean pin?`, or the known names. */
export function meant(written: string, names: readonly string[]): string {
  const name = nearest(written, names)
  return name === undefined ? `write ${alternatives(names)}` : `did you mean ${name}?`
}

/** The message for a field that must be there. */
export function missingField(field: string, expected: string): string {
  return `${field} is missing: ${expected}`
}

/** The message for a field that does not exist; `similar` is one that was probably meant. */
export function unknownField(field: string, similar: string | undefined, known: readonly string[]): string {
  const allowed = known.length === 0 ? 'there are no fields here' : `allowed: ${enumeration(known)}`
  return `${field} is unknown: ${similar ? `did you mean ${similar}?` : allowed}`
}

const wordsOf = (name: string) => name.toLowerCase().split(/[^a-z0-9]+/)

/** A single word would be in too many names. */
function hasWords(words: readonly string[], wanted: readonly string[]): boolean {
  return wanted.length > 1 && wanted.every((word) => words.includes(word))
}

function bare(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '')
}

/** The number of letters to insert, remove, replace, or swap with the next. */
function slipsBetween(written: string, name: string): number {
  let beforeAbove: readonly number[] = []
  let above: readonly number[] = Array.from({ length: name.length + 1 }, (_, column) => column)
  for (let row = 1; row <= written.length; row++) {
    const current = [row]
    for (let column = 1; column <= name.length; column++) {
      const isSame = written[row - 1] === name[column - 1]
      const replaced = (above[column - 1] ?? 0) + (isSame ? 0 : 1)
      const isSwapped = row > 1 && column > 1 && written[row - 1] === name[column - 2] && written[row - 2] === name[column - 1]
      const swapped = isSwapped ? (beforeAbove[column - 2] ?? 0) + 1 : replaced
      current.push(Math.min(replaced, swapped, (above[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1))
    }
    beforeAbove = above
    above = current
  }
  return above[name.length] ?? 0
}
