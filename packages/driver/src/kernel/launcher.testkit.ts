import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { SystemClock } from '@slotwire/core'

/** Obeys line by line; ends with this process, however that ends, and leaves nothing behind. */
const OBEY = 'while read -r line; do eval "$line"; done; rm -rf "$1"'
/** Longest that a program may take until it tells what is waited for, in milliseconds, on a machine with a lot to do. */
const TELLING_LIMIT_MS = 30_000
/** Lines that are kept to say what went wrong. */
const KEPT_LINES = 20

interface Waiting {
  readonly pattern: RegExp
  readonly tell: (found: RegExpExecArray) => void
}

interface Started {
  readonly shell: ChildProcessWithoutNullStreams
  readonly folder: string
}

/**
 * A small shell that starts programs for a large process: to be copied for each of them costs the latter ten times what the program takes
 * to start, and it does nothing else meanwhile.
 */
export class Launcher {
  readonly #clock = new SystemClock()
  readonly #waiting = new Set<Waiting>()
  readonly #lines: string[] = []
  #started: Started | undefined

  /** For files that go with the launcher. */
  get folder(): string {
    return this.#start().folder
  }

  /** Resolves when a line of what the programs say on stderr matches; rejects when none does for long. */
  run(command: string, pattern: RegExp): Promise<RegExpExecArray> {
    const told = new Promise<RegExpExecArray>((resolve, reject) => {
      const expired = this.#clock.after(TELLING_LIMIT_MS, () => {
        this.#waiting.delete(waiting)
        reject(new Error(`${command} has not told ${pattern.source}: ${this.#lines.join('\n')}`))
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
    return told
  }

  #start(): Started {
    if (this.#started !== undefined) return this.#started
    const folder = mkdtempSync(join(tmpdir(), 'slotwire-launcher-'))
    const shell = spawn('sh', ['-c', OBEY, 'sh', folder])
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

/** One for each test process: it ends with it. */
export const launcher = new Launcher()
