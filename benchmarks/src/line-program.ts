import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'

/** A program of Node.js that answers with lines, and ends with its input. */
export interface LineProgram {
  /** Says something to it. */
  readonly tell: (text: string) => void
  /** Its next line. Rejects when it has ended. */
  readonly line: () => Promise<string>
  stop(): Promise<void>
}

export function startLineProgram(args: readonly string[]): LineProgram {
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  const ended = new Promise<void>((resolve) => child.on('close', () => resolve()))
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  return {
    tell: (text) => child.stdin.write(text),
    line: async () => {
      const next = await lines.next()
      if (next.done === true) throw new Error(`${args[0]} ended before it answered`)
      return next.value
    },
    stop: async () => {
      child.stdin.end()
      await ended
    },
  }
}
