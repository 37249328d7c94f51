import type { SdbpFault } from './errors.ts'
import { SdbpError } from './errors.ts'

/** The fault that `run` throws, `none` when it gives a value. Whatever is no `SdbpError` goes on: a test must fail on it. */
export function faultOf(run: () => unknown): SdbpFault | 'none' {
  try {
    run()
  } catch (error) {
    if (error instanceof SdbpError) return error.fault
    throw error
  }
  return 'none'
}
