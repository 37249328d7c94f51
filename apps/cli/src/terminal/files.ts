import { closeSync, openSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { codeOf, messageOf } from '@slotwire/core'
import { UsageError } from './usage-error.ts'

/** Longest text of a file or of standard input: more than any backup, certificate or token has. */
export const MAX_INPUT_BYTES = 8_388_608
const TOO_LARGE = `is too large: at most ${MAX_INPUT_BYTES} bytes`

/** All of standard input. Throws `UsageError` as soon as it is too long. */
export async function inputText(input: AsyncIterable<Uint8Array | string>): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of input) {
    const part = Buffer.from(chunk as Uint8Array)
    bytes += part.length
    if (bytes > MAX_INPUT_BYTES) throw new UsageError(`standard input ${TOO_LARGE}`)
    chunks.push(part)
  }
  return Buffer.concat(chunks).toString()
}

/** The text of a file that the user names, without the line end. Throws `UsageError`. */
export function textOf(file: string, what: string): string {
  try {
    if (statSync(file).size > MAX_INPUT_BYTES) throw new UsageError(`the ${what} in ${file} ${TOO_LARGE}`)
    const text = readFileSync(file, 'utf8').trim()
    if (text !== '') return text
  } catch (error) {
    if (error instanceof UsageError) throw error
    throw new UsageError(`the ${what} cannot be read from ${file} (${codeOf(error)}): name a file that you may read`, {
      cause: error,
    })
  }
  throw new UsageError(`the ${what} in ${file} is empty`)
}

/** A file that a running command writes. Stops at the first failure to write. */
export class OutputFile {
  readonly #descriptor: number
  #leftBytes: number
  #failure: UsageError | undefined

  /** Opens and empties the file. Throws `UsageError` if it cannot. Calls `onFailure` once, when a write fails. */
  constructor(
    readonly file: string,
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
