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

/** Lines, each indented by `depth` steps; empty ones are left empty. */
export function indented(lines: readonly string[], depth: number, step: string): string[] {
  return lines.map((line) => (line === '' ? '' : step.repeat(depth) + line))
}
