/** Something about tokens that whoever asked for it can mend: says what is wrong, and what to do. */
export class TokenError extends Error {
  override readonly name = 'TokenError'
}
