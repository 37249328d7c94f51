import { closeSync, openSync, writeFileSync } from 'node:fs'
import { extname } from 'node:path'
import { messageOf } from '@slotwire/core'
import { FrameRecorder } from '@slotwire/scenario'
import { type WaveformFormatName, type WaveformTarget, waveformFormats } from '@slotwire/twin'
import { UsageError } from '../terminal/usage-error.ts'

/** Largest trace, in bytes: viewers read all of it into their memory. */
const MAX_TRACE_BYTES = 268_435_456

/** A file that a running scenario writes. Stops at the first failure to write. */
class OutputFile {
  readonly #file: string
  readonly #option: string
  readonly #descriptor: number
  readonly #onFailure: () => void
  #leftBytes: number
  #failure: UsageError | undefined

  /** Opens and empties the file. Throws `UsageError` if it cannot. Calls `onFailure` once, when a write fails. */
  constructor(file: string, option: string, onFailure: () => void, maxBytes = Number.POSITIVE_INFINITY) {
    this.#file = file
    this.#option = option
    this.#leftBytes = maxBytes
    this.#descriptor = openForWriting(file, option)
    this.#onFailure = onFailure
  }

  /** Does nothing after a failure. */
  readonly write = (text: string): void => {
    if (this.#failure !== undefined) return
    this.#leftBytes -= text.length
    try {
      if (this.#leftBytes < 0) throw new Error('it would be larger than 256 MiB: shorten the scenario, or slow down its waves')
      writeFileSync(this.#descriptor, text)
    } catch (error) {
      this.#failure = cannotBeWritten(this.#file, this.#option, error)
      this.#onFailure()
    }
  }

  /** Throws `UsageError` if the file is incomplete. */
  close(): void {
    closeSync(this.#descriptor)
    if (this.#failure !== undefined) throw this.#failure
  }
}

/** Records bus transfers in a file as they happen. */
export class Recording {
  readonly #output: OutputFile
  readonly #recorder: FrameRecorder

  /** As `OutputFile`. */
  constructor(file: string, onFailure: () => void) {
    this.#output = new OutputFile(file, '--record', onFailure)
    this.#recorder = new FrameRecorder(this.#output.write)
  }

  get onTransfer(): FrameRecorder['onTransfer'] {
    return this.#recorder.onTransfer
  }

  /** Writes what is buffered. Throws `UsageError` if the file is incomplete. */
  close(): void {
    this.#recorder.flush()
    this.#output.close()
  }
}

/** A file with the voltages and levels of a scenario's pins. */
export class TraceFile {
  readonly target: WaveformTarget
  readonly #output: OutputFile

  /** As `OutputFile`. Throws `UsageError` for a name without the suffix of a format. */
  constructor(file: string, onFailure: () => void, maxBytes = MAX_TRACE_BYTES) {
    const format = traceFormatOf(file)
    const failed = new AbortController()
    const fail = (): void => {
      failed.abort()
      onFailure()
    }
    this.#output = new OutputFile(file, '--trace', fail, maxBytes)
    this.target = { format, write: this.#output.write, signal: failed.signal }
  }

  /** Throws `UsageError` if the file is incomplete. */
  close(): void {
    this.#output.close()
  }
}

/** The format that the suffix of a file names. Throws `UsageError` for another suffix. */
export function traceFormatOf(file: string): WaveformFormatName {
  const suffix = extname(file).slice(1).toLowerCase()
  if (Object.hasOwn(waveformFormats, suffix)) return suffix as WaveformFormatName
  throw new UsageError(`${file} names no format: give --trace a file that ends in .vcd or .csv`)
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
