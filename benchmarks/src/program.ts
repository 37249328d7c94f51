import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

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

/** A program of Node.js in a process of its own. */
export interface Program {
  readonly pid: number
  /** Writes to its input. */
  readonly tell: (text: string) => void
  /** Its next line. Rejects when it has ended. */
  readonly line: () => Promise<string>
  readonly stop: () => Promise<void>
}

/** Starts a program of Node.js; `errors` says what becomes of its standard error. */
export function startProgram(args: readonly string[], errors: 'inherit' | 'ignore' = 'inherit'): Program {
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', errors] })
  if (child.pid === undefined) throw new Error(`${args[0]} did not start`)
  const ended = once(child, 'exit')
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  return {
    pid: child.pid,
    tell: (text) => child.stdin.write(text),
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
