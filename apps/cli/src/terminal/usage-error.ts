/** Exit code for what whoever typed the command can mend. */
export const USAGE_EXIT_CODE = 2

/** Something that whoever typed the command can mend: printed as one line, exit code `USAGE_EXIT_CODE`. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}
