/** Exit code for errors that the user can fix. */
export const USAGE_EXIT_CODE = 2

/** An error that the user can fix: printed as one line, exit code `USAGE_EXIT_CODE`. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}
