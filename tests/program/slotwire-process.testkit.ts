import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { atTestEnd } from '../at-test-end.testkit.ts'

/** The command: as `tsc` compiled it, or an installed one. */
export const MAIN = process.env['SLOTWIRE_TESTED_PROGRAM'] ?? join(import.meta.dirname, '../../apps/cli/dist/main.js')

/** How a process ended, and its whole output. */
export interface ProcessEnd {
  readonly code: number | null
  readonly output: string
  readonly errors: string
}

/** The first line of `slotwire serve --json`. */
export interface Announcement {
  readonly urls: readonly string[]
  readonly networkUrls: readonly string[]
  readonly services: readonly string[]
  readonly slots: readonly { readonly slot: number; readonly service: string; readonly product: string }[]
  readonly stateFolder: string
}

export interface SlotwireProcessOptions {
  readonly cwd?: string
  readonly environment?: NodeJS.ProcessEnv
  /** A program with options that then runs the command. */
  readonly startedBy?: readonly string[]
}

/** A run of the built command. One that a test starts ends with the test. */
export class SlotwireProcess {
  readonly child: ChildProcess
  readonly ended: Promise<ProcessEnd>
  #output = ''
  #errors = ''

  constructor(args: readonly string[], options: SlotwireProcessOptions = {}) {
    const { cwd, environment, startedBy = [] } = options
    const [command = process.execPath, ...words] = [...startedBy, process.execPath, MAIN, ...args]
    this.child = spawn(command, words, {
      stdio: ['ignore', 'pipe', 'pipe'],
      ...(cwd === undefined ? {} : { cwd }),
      env: { ...process.env, ...environment },
    })
    this.child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.#output += text
    })
    this.child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#errors += text
    })
    this.ended = once(this.child, 'close').then(([code]: unknown[]) => ({
      code: typeof code === 'number' ? code : null,
      output: this.#output,
      errors: this.#errors,
    }))
    atTestEnd(() => this.remove())
  }

  get pid(): number {
    if (this.child.pid === undefined) throw new Error('not started')
    return this.child.pid
  }

  /** Everything on standard output so far. */
  get output(): string {
    return this.#output
  }

  /** Everything on standard error so far. */
  get errors(): string {
    return this.#errors
  }

  /** The first line on standard output. Rejects if the process ends without one. */
  async firstLine(): Promise<string> {
    if (this.child.stdout === null) throw new Error('no standard output')
    const line = once(createInterface({ input: this.child.stdout }), 'line').then(([text]: unknown[]) => String(text))
    const ended = this.ended.then(({ code, errors }) => {
      throw new Error(`ended with ${code}: ${errors}`)
    })
    return Promise.race([line, ended])
  }

  /** Kills it if it still runs. */
  async remove(): Promise<void> {
    this.child.kill('SIGKILL')
    await this.ended
  }
}
