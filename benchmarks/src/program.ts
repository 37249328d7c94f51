import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'

/** Time limit of a load or another program, in ms. */
const LIMITS = { timeout: 300_000, maxBuffer: 10_000_000 }
const runFile = promisify(execFile)
const running = new Map<Program, ChildProcess>()
const folders: string[] = []

/** A new folder, until `cleanUp`. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'slotwire-benchmark-'))
  folders.push(folder)
  return folder
}

/** Kills all programs that still run, and removes all temporary folders. */
export function cleanUp(): void {
  for (const child of running.values()) child.kill('SIGKILL')
  for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}

/** Runs a program to its end. Resolves with its output; rejects if it fails, or does not start (`ENOENT`). */
export async function outputOf(program: string, ...args: readonly string[]): Promise<string> {
  return (await runFile(program, args, LIMITS)).stdout
}

/** As `outputOf`, for a file of Node.js. */
export const runNode = (...args: readonly string[]): Promise<string> => outputOf(process.execPath, ...args)

/** A program that runs beside this one. */
export interface Program {
  readonly pid: number
  /** Resolves with its next line of output. Rejects if it has ended. */
  readonly line: () => Promise<string>
  /** Ends it. Rejects if it has ended before: what was measured meanwhile does not count. */
  readonly stop: () => Promise<void>
}

/** Starts a program; `errors` is what to do with its standard error. */
export function startProgram(command: string, args: readonly string[], errors: 'inherit' | 'ignore' = 'inherit'): Program {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', errors] })
  if (child.pid === undefined) throw new Error(`${command} did not start`)
  const name = [command, ...args].join(' ')
  const ended = once(child, 'exit')
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const program: Program = {
    pid: child.pid,
    line: async () => {
      const next = await lines.next()
      if (next.done === true) throw new Error(`${name} ended before it answered`)
      return next.value
    },
    stop: async () => {
      running.delete(program)
      const isLate = !child.kill('SIGTERM')
      await ended
      if (isLate) throw new Error(`${name} ended while it was measured`)
    },
  }
  running.set(program, child)
  return program
}

/** As `startProgram`, for a file of Node.js. Resolves when it has written its first line. */
export async function startNode(args: readonly string[], errors?: 'inherit' | 'ignore'): Promise<Program & { first: string }> {
  const program = startProgram(process.execPath, args, errors)
  return { ...program, first: await program.line() }
}

/** Ends all programs that still run, after a row. */
export async function stopPrograms(): Promise<void> {
  await Promise.all([...running.keys()].map(({ stop }) => stop()))
}
