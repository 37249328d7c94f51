import { closeSync, openSync, readSync } from 'node:fs'
import { UsageError } from '../terminal/usage-error.ts'

/** A certificate with its chain is shorter. */
const MOST_BYTES = 65_536

/** The text of a file, or of a pipe such as `<(openssl pkey -in key.pem)`. Throws `UsageError`. */
export function readInput(option: string, path: string): string {
  const bytes = new Uint8Array(MOST_BYTES + 1)
  let length = 0
  try {
    const file = openSync(path, 'r')
    try {
      for (let count = -1; count !== 0 && length < bytes.length; length += count) {
        count = readSync(file, bytes, length, bytes.length - length, null)
      }
    } finally {
      closeSync(file)
    }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new UsageError(`${option} ${path} cannot be read (${reason}): give a file in PEM`, { cause: error })
  }
  if (length > MOST_BYTES) throw new UsageError(`${option} ${path} is too long: at most ${MOST_BYTES} bytes, in PEM`)
  return new TextDecoder().decode(bytes.subarray(0, length))
}
