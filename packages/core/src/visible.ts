/** What a terminal would obey instead of showing it, or what nobody sees; without the joiners that scripts and emoji need. */
const UNSEEN = /(?![\u{200c}\u{200d}])[\p{C}\p{Zl}\p{Zp}]/gu
const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }
const HEXADECIMAL = 16

/** Text from outside in one line that does nothing to a terminal: `\n`, `\u{1b}`, and cut behind `mostCharacters`. */
export function visible(text: string, mostCharacters = Number.POSITIVE_INFINITY): string {
  const cut = text.length > mostCharacters ? `${text.slice(0, mostCharacters)}…` : text
  return cut.replace(UNSEEN, (each) => SHORT[each] ?? `\\u{${(each.codePointAt(0) ?? 0).toString(HEXADECIMAL)}}`)
}

/** A word of a message is shown so long at most. */
const SHOWN_LENGTH = 40

/** What somebody wrote, as a message repeats it. */
export function shown(text: string, mostCharacters = SHOWN_LENGTH): string {
  return text === '' ? '""' : visible(text, mostCharacters)
}

/** Whether nothing in a text is hidden from its reader. */
export function isVisible(text: string): boolean {
  return visible(text) === text
}
