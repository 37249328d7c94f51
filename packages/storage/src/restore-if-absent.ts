import { linkSync } from 'node:fs'
import { codeOf } from '@slotwire/core'

/** Gives a file that was moved aside its place again, unless somebody else has taken that meanwhile. Throws the system's error. */
export function restoreIfAbsent(aside: string, path: string): void {
  try {
    linkSync(aside, path)
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error
  }
}
