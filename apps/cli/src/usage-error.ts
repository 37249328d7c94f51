/** Something that whoever typed the command can mend: printed as one line, exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}
