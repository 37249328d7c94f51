/** What a terminal would obey instead of showing it: control characters, line ends, changes of the direction, halves of pairs. */
const UNSEEN = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u{61c}\u{200e}\u{200f}\u{202a}-\u{202e}\u{2066}-\u{2069}]/gu
const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }
const HEXADECIMAL = 16

/** A text in one line as it is shown: what a terminal would obey is written out, as in `\n` or `\u{1b}`. */
export function visible(text: string): string {
  return text.replace(UNSEEN, (each) => SHORT[each] ?? `\\u{${each.charCodeAt(0).toString(HEXADECIMAL)}}`)
}

/** Nothing in it is hidden from who reads it. */
export function isVisible(text: string): boolean {
  return visible(text) === text
}
