import { OperatorError } from '../operator-error.ts'

/** What neither configuration language can be told in quotes without meaning something else. */
const UNQUOTABLE = /["'`\\${}\p{Cc}]/u

/** A path as both languages take it. Throws `OperatorError`. */
export function quoted(path: string): string {
  if (UNQUOTABLE.test(path)) {
    throw new OperatorError(
      `the path ${JSON.stringify(path)} cannot stand in a proxy's configuration: use one without quotes, $, braces and backslashes`,
    )
  }
  return `"${path}"`
}

/** Lines that stand in a line which is indented by so many spaces: the first has these already. */
export function indented(spaces: number, text: string): string {
  return text.replaceAll('\n', `\n${' '.repeat(spaces)}`)
}
