import type { SdbpFault } from './errors.ts'
import { SdbpError } from './errors.ts'

/** The fault that `run` throws, or `none`. Passes on any error that is not an `SdbpError`, so that the test fails. */
export function faultOf(run: () => unknown): SdbpFault | 'none' {
  try {
    run()
  } catch (error) {
    if (error instanceof SdbpError) return error.fault
    throw error
  }
  return 'none'
}
