/** `a`, `a or b`, `a, b or c`. */
export function alternatives(words: readonly (string | number)[]): string {
  return enumeration(words, 'or')
}

/** `a`, `a and b`, `a, b and c`. */
export function enumeration(words: readonly (string | number)[], conjunction: 'and' | 'or' = 'and'): string {
  const last = words.at(-1) ?? ''
  return words.length < 2 ? `${last}` : `${words.slice(0, -1).join(', ')} ${conjunction} ${last}`
}
