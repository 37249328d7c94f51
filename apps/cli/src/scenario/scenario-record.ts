import { closeSync, openSync, writeFileSync } from 'node:fs'
import { messageOf } from '@slotwire/core'
import { FrameRecorder } from '@slotwire/scenario'
import type { Transfer } from '@slotwire/twin'
import { UsageError } from '../terminal/usage-error.ts'

/** Records bus transfers in a file as they happen. Stops at the first failure to write. */
export class Recording {
  readonly #file: string
  readonly #descriptor: number
  readonly #recorder: FrameRecorder
  readonly #onFailure: () => void
  #failure: unknown

  /** Opens and empties the file. Throws `UsageError` if it cannot. Calls `onFailure` once, when a write fails. */
  constructor(file: string, onFailure: () => void) {
    this.#file = file
    this.#descriptor = openForWriting(file, '--record')
    this.#recorder = new FrameRecorder((text) => this.#write(text))
    this.#onFailure = onFailure
  }

  readonly onTransfer = (transfer: Transfer): void => {
    if (this.#failure === undefined) this.#recorder.onTransfer(transfer)
  }

  /** Writes what is buffered. Throws `UsageError` if the file is incomplete. */
  close(): void {
    if (this.#failure === undefined) this.#recorder.flush()
    closeSync(this.#descriptor)
    if (this.#failure !== undefined) throw cannotBeWritten(this.#file, '--record', this.#failure)
  }

  #write(text: string): void {
    try {
      writeFileSync(this.#descriptor, text)
    } catch (error) {
      this.#failure = error
      this.#onFailure()
    }
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

export function cannotBeWritten(file: string, option: string, error: unknown): UsageError {
  return new UsageError(`${file} cannot be written (${messageOf(error)}): give another file with ${option}`, { cause: error })
}
