import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
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

interface Waiting {
  readonly pattern: RegExp
  readonly tell: (found: RegExpExecArray) => void
}

interface Started {
  readonly shell: ChildProcessWithoutNullStreams
  readonly folder: string
}

/** A small shell that starts programs. Forking the large test process would take ten times as long and block it meanwhile. */
export class Launcher {
  readonly #clock = new SystemClock()
  readonly #waiting = new Set<Waiting>()
  readonly #lines: string[] = []
  #started: Started | undefined

  /** For files that are removed with the launcher. */
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
      const waiting: Waiting = {
        pattern,
        tell: (found) => {
          this.#waiting.delete(waiting)
          expired.cancel()
          resolve(found)
        },
      }
      this.#waiting.add(waiting)
    })
    this.#start().shell.stdin.write(`${command}\n`)
    return output
  }

  #start(): Started {
    if (this.#started !== undefined) return this.#started
    const folder = mkdtempSync(join(tmpdir(), 'slotwire-launcher-'))
    const shell = spawn('sh', ['-c', RUN_LINES, 'sh', folder])
    createInterface({ input: shell.stderr }).on('line', (line) => this.#onLine(line))
    shell.stdout.resume()
    shell.unref()
    this.#started = { shell, folder }
    return this.#started
  }

  #onLine(line: string): void {
    this.#lines.push(line)
    if (this.#lines.length > KEPT_LINES) this.#lines.shift()
    for (const { pattern, tell } of this.#waiting) {
      const found = pattern.exec(line)
      if (found !== null) tell(found)
    }
  }
}

/** One for each test process; it ends with that process. */
export const launcher = new Launcher()
