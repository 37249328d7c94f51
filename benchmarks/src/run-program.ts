import { execFile } from 'node:child_process'

/** Longest that a load or another program may take, in ms. */
const PROGRAM_DEADLINE_MS = 300_000
const LARGEST_OUTPUT = 10_000_000

export interface ProgramOutput {
  readonly code: number | string
  readonly stdout: string
  readonly stderr: string
}

/** Runs a program to its end. `code` is its exit code, or the system's reason why it could not be run (`ENOENT`). */
export function runProgram(program: string, args: readonly string[]): Promise<ProgramOutput> {
  return new Promise((resolve) => {
    execFile(program, args, { timeout: PROGRAM_DEADLINE_MS, maxBuffer: LARGEST_OUTPUT }, (error, stdout, stderr) => {
      resolve({ code: error?.code ?? (error === null ? 0 : 'killed'), stdout, stderr })
    })
  })
}
