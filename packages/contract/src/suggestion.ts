/** A name longer than this is not compared: nobody misspells that much, and comparing costs length × length. */
const COMPARED_LENGTH = 64
/** A name shorter than this is not completed. */
const COMPLETED_LENGTH = 3

const plain = (name: string) => name.toLowerCase().replace(/[^a-z0-9]/g, '')

/** The one of `names` that `written` was probably meant to be: other case, a slip of one or two letters, the beginning alone. */
export function suggestion(written: string, names: readonly string[]): string | undefined {
  if (written.length > COMPARED_LENGTH) return undefined
  const wanted = plain(written)
  const sameLetters = names.find((name) => plain(name) === wanted)
  if (sameLetters !== undefined) return sameLetters
  const nearest = names
    .map((name) => ({ name, slips: distance(wanted, plain(name)) }))
    .filter(({ name, slips }) => slips <= (name.length < 4 ? 1 : 2))
    .sort((a, b) => a.slips - b.slips)[0]
  if (nearest !== undefined) return nearest.name
  return wanted.length < COMPLETED_LENGTH ? undefined : names.find((name) => plain(name).startsWith(wanted))
}

/** Levenshtein distance: letters to insert, remove or replace. */
function distance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let row = 1; row <= a.length; row++) {
    const current = [row]
    for (let column = 1; column <= b.length; column++) {
      const replaced = at(previous, column - 1) + (a[row - 1] === b[column - 1] ? 0 : 1)
      current.push(Math.min(replaced, at(previous, column) + 1, at(current, column - 1) + 1))
    }
    previous = current
  }
  return at(previous, b.length)
}

const at = (row: readonly number[], column: number) => row[column] ?? Number.POSITIVE_INFINITY
