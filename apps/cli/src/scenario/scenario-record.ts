import { extname } from 'node:path'
import { FrameRecorder } from '@slotwire/scenario'
import { type WaveformFormatName, type WaveformTarget, waveformFormats } from '@slotwire/twin'
import { OutputFile } from '../terminal/output-file.ts'
import { UsageError } from '../terminal/usage-error.ts'

/** Largest trace, in bytes: viewers read all of it into their memory. */
const MAX_TRACE_BYTES = 268_435_456

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
