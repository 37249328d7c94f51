import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

/** What a program may say at most, in bytes. */
const MAX_OUTPUT = 64 * 1024

export interface RunOptions {
  readonly environment: NodeJS.ProcessEnv
  /** Aborted, the program is killed. */
  readonly signal: AbortSignal
}

/** Runs a program to its end. Rejects when it cannot be started, does not succeed, or is given up; the message has what it said. */
export type RunProgram = (command: string, args: readonly string[], options: RunOptions) => Promise<void>

export const runProgram: RunProgram = async (command, args, { environment, signal }) => {
  await promisify(execFile)(command, args, { env: environment, signal, killSignal: 'SIGKILL', maxBuffer: MAX_OUTPUT })
}
