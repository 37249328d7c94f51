import { coreErrors } from '@slotwire/core'
import { inSnakeNames } from '@slotwire/twin'
import { benchErrors } from './errors.ts'

/** Does something at the bench. What it cannot do in the state it is in (`RangeError`) becomes a 400 with its own words. */
export function refusedAsState<Result>(work: () => Result): Result {
  return translated(work, (reason) => benchErrors.refused({ reason }))
}

/**
 * Does something with what the client has sent. What does not fit (`RangeError`) becomes a 422 with the bench's own words. `names` are those
 * of module settings, which the twin does not know.
 */
export function refusedAsField<Result>(work: () => Result, names: readonly string[] = []): Result {
  return translated(work, (reason) => coreErrors.invalidField({ reason }), names)
}

function translated<Result>(work: () => Result, errorOf: (reason: string) => Error, names: readonly string[] = []): Result {
  try {
    return work()
  } catch (error) {
    if (error instanceof RangeError) throw errorOf(inSnakeNames(error.message, names))
    throw error
  }
}
