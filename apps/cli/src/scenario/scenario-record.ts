import { closeSync, openSync, writeFileSync } from 'node:fs'
import { FrameRecorder } from '@slotwire/scenario'
import type { Transfer } from '@slotwire/twin'
import { UsageError } from '../terminal/usage-error.ts'

/** A file that is told what happens, as it happens; the first failure of writing ends it. */
export class Recording {
  readonly #file: string
  readonly #descriptor: number
  readonly #recorder: FrameRecorder
  readonly #onFailure: () => void
  #failure: unknown

  /** Opens the file anew. Throws `UsageError` when it cannot be had. `onFailure` is called once, when it cannot be written any more. */
  constructor(file: string, onFailure: () => void) {
    this.#file = file
    this.#descriptor = openedAnew(file, '--record')
    this.#recorder = new FrameRecorder((text) => this.#write(text))
    this.#onFailure = onFailure
  }

  readonly onTransfer = (transfer: Transfer): void => {
    if (this.#failure === undefined) this.#recorder.onTransfer(transfer)
  }

  /** Writes what waits. Throws `UsageError` when not everything is in the file. */
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

/** How the names of scenarios end: one that stands behind an option is there by mistake. */
const SCENARIO_NAME = /\.ya?ml$/i

/** Empties or makes a file. Throws `UsageError` when it cannot be written, or is a scenario: before anything is run for it. */
export function openedAnew(file: string, option: string): number {
  if (SCENARIO_NAME.test(file))
    throw new UsageError(`${file} has the name of a scenario, and would be overwritten: give the file to write with ${option}`)
  try {
    return openSync(file, 'w')
  } catch (error) {
    throw cannotBeWritten(file, option, error)
  }
}

export function cannotBeWritten(file: string, option: string, error: unknown): UsageError {
  const reason = error instanceof Error ? error.message : String(error)
  return new UsageError(`${file} cannot be written (${reason}): give another file with ${option}`, { cause: error })
}
