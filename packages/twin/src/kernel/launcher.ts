import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface, type Interface } from 'node:readline'
import { SystemClock } from '@slotwire/core'

/** Runs each line of its input. Ends with this process and removes its folder. */
const RUN_LINES = 'while read -r line; do eval "$line"; done; rm -rf "$1"'
/** Longest wait for the expected output of a program on a busy machine, in milliseconds. */
const OUTPUT_LIMIT_MS = 30_000
/** Lines that are kept for the error message. */
const KEPT_LINES = 20

interface Started {
  readonly shell: ChildProcessWithoutNullStreams
  /** What it prints to stderr. */
  readonly output: Interface
  readonly folder: string
}

/** A small shell that starts programs. Forking this large process would take ten times as long and block it meanwhile. */
export class Launcher {
  readonly #clock = new SystemClock()
  readonly #lines: string[] = []
  #started: Started | undefined

  /** The folder of the commands. It is removed with the launcher. */
  get folder(): string {
    return this.#start().folder
  }

  /** Runs a command. Resolves when a line of stderr matches; rejects if none does in time. */
  run(command: string, pattern: RegExp): Promise<RegExpExecArray> {
    const { shell, output } = this.#start()
    return new Promise((resolve, reject) => {
      const onLine = (line: string): void => {
        const match = pattern.exec(line)
        if (match === null) return
        end()
        resolve(match)
      }
      const expired = this.#clock.after(OUTPUT_LIMIT_MS, () => {
        end()
        reject(new Error(`${command} has not printed ${pattern.source}: ${this.#lines.join('\n')}`))
      })
      const end = (): void => {
        expired.cancel()
        output.off('line', onLine)
      }
      output.on('line', onLine)
      shell.stdin.write(`${command}\n`)
    })
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
    const output = createInterface({ input: shell.stderr }).setMaxListeners(0)
    output.on('line', (line) => {
      this.#lines.push(line)
      if (this.#lines.length > KEPT_LINES) this.#lines.shift()
    })
    shell.stdout.resume()
    shell.unref()
    this.#started = { shell, output, folder }
    return this.#started
  }
}

/** One for each process; it ends with that process. */
export const launcher = new Launcher()
