import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { SystemClock } from '@slotwire/core'

/** Runs each line of its input. Ends with this process and removes its folder. */
const RUN_LINES = 'while read -r line; do eval "$line"; done; rm -rf "$1"'
/** Longest wait for the expected output of a program on a busy machine, in milliseconds. */
const OUTPUT_LIMIT_MS = 30_000
/** Lines that are kept for the error message. */
const KEPT_LINES = 20

interface LineWaiter {
  readonly pattern: RegExp
  readonly onMatch: (match: RegExpExecArray) => void
}

interface Started {
  readonly shell: ChildProcessWithoutNullStreams
  readonly folder: string
}

/** A small shell that starts programs. Forking this large process would take ten times as long and block it meanwhile. */
export class Launcher {
  readonly #clock = new SystemClock()
  readonly #waiting = new Set<LineWaiter>()
  readonly #lines: string[] = []
  #started: Started | undefined

  /** The folder of the commands. It is removed with the launcher. */
  get folder(): string {
    return this.#start().folder
  }

  /** Runs a command. Resolves when a line of stderr matches; rejects if none does in time. */
  run(command: string, pattern: RegExp): Promise<RegExpExecArray> {
    const output = new Promise<RegExpExecArray>((resolve, reject) => {
      const expired = this.#clock.after(OUTPUT_LIMIT_MS, () => {
        this.#waiting.delete(waiting)
        reject(new Error(`${command} has not printed ${pattern.source}: ${this.#lines.join('\n')}`))
      })
      const waiting: LineWaiter = {
        pattern,
        onMatch: (match) => {
          this.#waiting.delete(waiting)
          expired.cancel()
          resolve(match)
        },
      }
      this.#waiting.add(waiting)
    })
    this.#start().shell.stdin.write(`${command}\n`)
    return output
  }

  /** Ends the shell and the programs that end with their parent. */
  async close(): Promise<void> {
    if (this.#started === undefined) return
    const { shell } = this.#started
    this.#started = undefined
    shell.ref()
    shell.stdin.end()
    await once(shell, 'close')
  }

  #start(): Started {
    if (this.#started !== undefined) return this.#started
    const folder = mkdtempSync(join(tmpdir(), 'slotwire-launcher-'))
    // In a group of its own: Ctrl-C must not end it before this process.
    const shell = spawn('sh', ['-c', RUN_LINES, 'sh', folder], { cwd: folder, detached: true })
    createInterface({ input: shell.stderr }).on('line', (line) => this.#onLine(line))
    shell.stdout.resume()
    shell.unref()
    this.#started = { shell, folder }
    return this.#started
  }

  #onLine(line: string): void {
    this.#lines.push(line)
    if (this.#lines.length > KEPT_LINES) this.#lines.shift()
    for (const { pattern, onMatch } of this.#waiting) {
      const match = pattern.exec(line)
      if (match !== null) onMatch(match)
    }
  }
}

/** One for each process; it ends with that process. */
export const launcher = new Launcher()
