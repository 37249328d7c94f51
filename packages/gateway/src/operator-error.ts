/** An error that the operator of a device can fix: the message gives the problem and the remedy. */
export class OperatorError extends Error {
  override readonly name = 'OperatorError'
}
