/** Something that the operator of a device can fix: the message says what is wrong, and what to do about it. */
export class OperatorError extends Error {
  override readonly name = 'OperatorError'
}
