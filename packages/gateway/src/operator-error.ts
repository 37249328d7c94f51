/** An error that the operator of a device can fix: the message gives the problem and the remedy. */
export class OperatorError extends Error {
  override readonly name = 'OperatorError'
}

/** The result of `work`; if it throws an `OperatorError`, throws one with the message that `wording` makes of it. */
export function reworded<Result>(work: () => Result, wording: (message: string) => string): Result {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error
    throw new OperatorError(wording(error.message), { cause: error })
  }
}
