import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inRoot } from '../../tools/setup/root.mjs'

/** The pages use the default address and, on Linux, the default state folder. */
const PAGES_URL = 'http://127.0.0.1:8080'
const PAGES_STATE = '~/.local/state/slotwire'

/** Prepended to every example: prints the statuses to standard error, one line for each request. */
const STATUSES_APART = `curl() { command curl --silent --show-error --write-out '%{stderr}%{http_code}\\n' "$@"; }\n`

export interface Outcome {
  readonly stdout: string
  /** HTTP statuses of all requests, in order. */
  readonly statuses: readonly number[]
}

/** The server in the reader's first terminal, and the shell of the second. */
export class ServedExamples {
  readonly #state = mkdtempSync(join(tmpdir(), 'slotwire examples '))
  #server: ChildProcess | undefined
  #url = ''

  /** Stops the running server and starts `npm start -- options` on a free port, with a temporary state folder. */
  async start(options: readonly string[]): Promise<void> {
    await this.stop()
    const main = inRoot('apps', 'cli', 'dist', 'main.js')
    const own = ['--port', '0', '--state', this.#state, '--json', '--log-level', 'silent']
    const server = spawn(process.execPath, [main, 'serve', ...own, ...options], { stdio: ['ignore', 'pipe', 'inherit'] })
    this.#server = server
    const [line] = (await once(server.stdout.setEncoding('utf8'), 'data')) as [string]
    const [url] = (JSON.parse(line) as { urls: readonly string[] }).urls
    this.#url = url as string
  }

  /** Runs commands in bash, as pasted. Rejects if one fails. */
  async run(commands: string): Promise<Outcome> {
    const here = commands.replaceAll(PAGES_URL, this.#url).replaceAll(PAGES_STATE, `'${this.#state}'`)
    const bash = spawn('bash', ['-euo', 'pipefail', '-c', STATUSES_APART + here], { stdio: ['ignore', 'pipe', 'pipe'] })
    const output = { stdout: '', stderr: '' }
    for (const name of ['stdout', 'stderr'] as const) {
      bash[name].setEncoding('utf8').on('data', (text: string) => {
        output[name] += text
      })
    }
    const [code] = (await once(bash, 'close')) as [number | null]
    if (code !== 0) throw new Error(`exit code ${code}: ${output.stderr}`)
    return { stdout: output.stdout, statuses: output.stderr.trim().split('\n').map(Number) }
  }

  /** Waits for the server's end. Returns the signal that ended it. */
  async ended(): Promise<NodeJS.Signals | null> {
    const server = this.#server
    if (server === undefined) throw new Error('no server was started')
    if (server.exitCode === null && server.signalCode === null) await once(server, 'exit')
    return server.signalCode
  }

  /** Stops the server as Ctrl-C does. */
  async stop(): Promise<void> {
    if (this.#server === undefined) return
    this.#server.kill('SIGINT')
    await this.ended()
  }

  async remove(): Promise<void> {
    await this.stop()
    rmSync(this.#state, { recursive: true })
  }
}
