import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

/** Time limit of a load or another program, in ms. */
const PROGRAM_DEADLINE_MS = 300_000
const MAX_OUTPUT_BYTES = 10_000_000

export interface ProgramOutput {
  readonly code: number | string
  readonly stdout: string
  readonly stderr: string
}

/** Runs a program to its end. `code` is its exit code, or the system's error code if it did not start (`ENOENT`). */
export function runProgram(program: string, args: readonly string[]): Promise<ProgramOutput> {
  return new Promise((resolve) => {
    execFile(program, args, { timeout: PROGRAM_DEADLINE_MS, maxBuffer: MAX_OUTPUT_BYTES }, (error, stdout, stderr) => {
      resolve({ code: error?.code ?? (error === null ? 0 : 'killed'), stdout, stderr })
    })
  })
}

/** A Node.js program in a separate process. */
export interface Program {
  readonly pid: number
  /** Writes to its standard input. */
  readonly write: (text: string) => void
  /** Resolves with its next line of output. Rejects if it has ended. */
  readonly line: () => Promise<string>
  readonly stop: () => Promise<void>
}

/** Starts a Node.js program; `errors` is what to do with its standard error. */
export function startProgram(args: readonly string[], errors: 'inherit' | 'ignore' = 'inherit'): Program {
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', errors] })
  if (child.pid === undefined) throw new Error(`${args[0]} did not start`)
  const ended = once(child, 'exit')
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  return {
    pid: child.pid,
    write: (text) => child.stdin.write(text),
    line: async () => {
      const next = await lines.next()
      if (next.done === true) throw new Error(`${args[0]} ended before it answered`)
      return next.value
    },
    stop: async () => {
      child.kill('SIGTERM')
      await ended
    },
  }
}
