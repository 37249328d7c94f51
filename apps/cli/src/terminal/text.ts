import { visible } from '@slotwire/core'
import picocolors from 'picocolors'

export type Colors = ReturnType<typeof picocolors.createColors>

/** Colours on a terminal unless NO_COLOR is set, and wherever FORCE_COLOR is set. A file gets plain text. */
export function colorsFor(output: { readonly isTTY?: boolean }, environment: NodeJS.ProcessEnv): Colors {
  const isWanted = Boolean(environment['FORCE_COLOR']) || (output.isTTY === true && environment['TERM'] !== 'dumb')
  return picocolors.createColors(isWanted && !environment['NO_COLOR'])
}

/** Colours of standard output. */
export const colors = colorsFor(process.stdout, process.env)

export type Cell = string | number | boolean | null | undefined
/** A line of a table: its values by the names of the columns. */
export type Row = Readonly<Record<string, Cell>>

const GAP = '  '
/** Of a file, and of a terminal that does not report its width. */
const DEFAULT_WIDTH = 80

/** Rows under a head, for people: a text that does not fit continues below. `paint` colours a cell. Every row has the same columns. */
export function formatTable<R extends Row>(
  rows: readonly R[],
  paint: (text: string, column: string, row: R) => string = (text) => text,
  width = process.stdout.columns || DEFAULT_WIDTH,
): string {
  const columns = Object.keys(rows[0] ?? {})
  const head = Object.fromEntries(columns.map((name) => [name, name.toUpperCase().replaceAll('_', ' ')]))
  const texts = [head, ...rows].map((row) => columns.map((name) => visible(String(row[name] ?? ''))))
  const widths = fittingWidths(texts, width)
  return texts
    .flatMap((cells, index) => {
      const parts = cells.map((text, column) => wrapped(text, widths[column] ?? 1))
      return Array.from({ length: Math.max(...parts.map(({ length }) => length)) }, (_, line) => {
        const padded = columns.map((name, column) => {
          const text = parts[column]?.[line] ?? ''
          const row = rows[index - 1]
          const painted = row === undefined || text === '' ? text : paint(text, name, row)
          return column === columns.length - 1 ? painted : painted + ''.padEnd((widths[column] ?? 0) - text.length)
        })
        return `${padded.join(GAP).trimEnd()}\n`
      })
    })
    .join('')
}

/** The widths of the columns. The widest one gives way first; words are cut only if nothing else helps. */
function fittingWidths(texts: readonly (readonly string[])[], width: number): readonly number[] {
  const columns = (texts[0] ?? []).map((_, column) => texts.map((cells) => cells[column] ?? ''))
  const widths = columns.map((cells) => Math.max(...cells.map(({ length }) => length)))
  const words = columns.map((cells) => Math.max(...cells.flatMap((text) => text.split(' ')).map(({ length }) => length)))
  let excess = widths.reduce((sum, each) => sum + each, GAP.length * (widths.length - 1)) - width
  for (const least of [words, widths.map(() => 1)])
    for (; excess > 0; excess--) {
      const spare = widths.map((each, column) => (each > (least[column] ?? 0) ? each : 0))
      const widest = spare.indexOf(Math.max(...spare))
      if (spare[widest] === 0) break
      widths[widest] = (widths[widest] ?? 0) - 1
    }
  return widths
}

/** Lines of at most so many characters, broken at spaces where there are some. */
function wrapped(text: string, width: number): readonly string[] {
  const line = new RegExp(`(?:.{1,${width}}(?= |$)|.{${width}}) ?`, 'gsu')
  return [...text.matchAll(line)].map(([part]) => part.trimEnd())
}

/** A word quoted for a shell. */
export function shellWord(word: string): string {
  return /^[\w./@:+,-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}

/** `1 file`, `2 files`. */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`
