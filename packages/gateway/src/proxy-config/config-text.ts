import { OperatorError } from '../operator-error.ts'

/** Characters that have another meaning in quotes in one of the configuration languages. */
const UNQUOTABLE = /["'`\\${}\p{Cc}]/u

/** A path quoted for both languages. Throws `OperatorError`. */
export function quoted(path: string): string {
  if (UNQUOTABLE.test(path)) {
    throw new OperatorError(
      `the path ${JSON.stringify(path)} cannot be used in a proxy's configuration: choose one without quotes, $, braces and backslashes`,
    )
  }
  return `"${path}"`
}

/** Indents all lines but the first by so many spaces. */
export function indented(spaces: number, text: string): string {
  return text.replaceAll('\n', `\n${' '.repeat(spaces)}`)
}
