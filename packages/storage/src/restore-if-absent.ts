import { linkSync } from 'node:fs'
import { codeOf } from '@slotwire/core'

/** Moves a file back to its place, unless another process has created one there meanwhile. Throws the system's error. */
export function restoreIfAbsent(aside: string, path: string): void {
  try {
    linkSync(aside, path)
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error
  }
}
