import { closeSync, openSync, writeFileSync } from 'node:fs'
import { messageOf } from '@slotwire/core'
import { UsageError } from './usage-error.ts'

/** A file that a running command writes. Stops at the first failure to write. */
export class OutputFile {
  readonly #descriptor: number
  #leftBytes: number
  #failure: UsageError | undefined

  /** Opens and empties the file. Throws `UsageError` if it cannot. Calls `onFailure` once, when a write fails. */
  constructor(
    private readonly file: string,
    private readonly option: string,
    private readonly onFailure: () => void,
    maxBytes = Number.POSITIVE_INFINITY,
  ) {
    this.#leftBytes = maxBytes
    this.#descriptor = openForWriting(file, option)
  }

  /** Does nothing after a failure. */
  readonly write = (text: string): void => {
    if (this.#failure !== undefined) return
    this.#leftBytes -= text.length
    try {
      if (this.#leftBytes < 0) throw new Error('it would be larger than 256 MiB: shorten the scenario, or slow down its waves')
      writeFileSync(this.#descriptor, text)
    } catch (error) {
      this.#failure = cannotBeWritten(this.file, this.option, error)
      this.onFailure()
    }
  }

  /** Throws `UsageError` if the file is incomplete. */
  close(): void {
    closeSync(this.#descriptor)
    if (this.#failure !== undefined) throw this.#failure
  }
}

/** Extension of scenarios: such a name after an output option is a mistake. */
const SCENARIO_NAME = /\.ya?ml$/i

/** Creates or empties a file before anything runs. Throws `UsageError` if it cannot be written, or has the name of a scenario. */
export function openForWriting(file: string, option: string): number {
  if (SCENARIO_NAME.test(file))
    throw new UsageError(`${file} has the name of a scenario and would be overwritten: give another file with ${option}`)
  try {
    return openSync(file, 'w')
  } catch (error) {
    throw cannotBeWritten(file, option, error)
  }
}

/** `what` the option takes: a file or a folder. */
export function cannotBeWritten(path: string, option: string, error: unknown, what = 'file'): UsageError {
  return new UsageError(`${path} cannot be written (${messageOf(error)}): give another ${what} with ${option}`, { cause: error })
}
