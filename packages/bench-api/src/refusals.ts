import { coreErrors } from '@slotwire/core'
import { inSnakeNames } from '@slotwire/twin'
import { benchErrors } from './errors.ts'

/** Runs `work` and turns a `RangeError` into a 400 with its message: the bench refuses it in its current state. */
export function refusedAsState<Result>(work: () => Result): Result {
  return translated(work, (reason) => benchErrors.refused({ reason }))
}

/**
 * Runs `work` on client input and turns a `RangeError` into a 422 with its message. `names` are module settings, which the twin does not
 * know.
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
