/** A text of others is shown so long at most. */
const MOST_CHARACTERS = 600

/** One line that does nothing to a terminal: control characters, also those that turn the direction of text, are written out; cut. */
export function harmless(text: string): string {
  const shown = text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)}…` : text
  return shown.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`)
}
