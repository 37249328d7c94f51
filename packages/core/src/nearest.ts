import { alternatives } from './words.ts'

/** A longer name is not compared: it is no misspelling, and comparing costs length × length. */
const LONGEST_COMPARED = 64
/** A shorter name is not completed. */
const SHORTEST_COMPLETED = 3

/** The one of `names` that was probably meant: one or two typing errors, another case, its beginning, or some of its words. */
export function nearest(written: string, names: readonly string[]): string | undefined {
  if (written.length > LONGEST_COMPARED) return undefined
  const wanted = bare(written)
  let found: string | undefined
  let fewest = Number.POSITIVE_INFINITY
  for (const name of names) {
    const slips = slipsBetween(wanted, bare(name))
    if (slips < fewest && slips < name.length && slips <= (name.length < 4 ? 1 : 2)) {
      found = name
      fewest = slips
    }
  }
  if (found !== undefined || wanted.length < SHORTEST_COMPLETED) return found
  return names.find((name) => bare(name).startsWith(wanted)) ?? names.find((name) => hasWords(wordsOf(name), wordsOf(written)))
}

/** The remedy for an unknown name: `did you mean pin?`, or the known names. */
export function meant(written: string, names: readonly string[]): string {
  const name = nearest(written, names)
  return name === undefined ? `write ${alternatives(names)}` : `did you mean ${name}?`
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
