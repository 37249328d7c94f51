import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inRoot } from '../../tools/setup/root.mjs'

/** What the pages take for granted: the default address and, on Linux, the default state folder. */
const PAGES_URL = 'http://127.0.0.1:8080'
const PAGES_STATE = '~/.local/state/slotwire'

/** Prepended to every example: statuses go to standard error, one line for each request. */
const STATUSES_APART = `curl() { command curl --silent --show-error --write-out '%{stderr}%{http_code}\\n' "$@"; }\n`

export interface Told {
  readonly stdout: string
  /** Of all requests, in order. */
  readonly statuses: readonly number[]
}

/** The server that a page's reader has in another terminal, and the shell of the examples. */
export class ServedExamples {
  readonly #state = mkdtempSync(join(tmpdir(), 'slotwire examples '))
  #server: ChildProcess | undefined
  #url = ''

  /** `npm start -- options`, on a free port and with a state folder of its own; what ran before has ended, or is told to. */
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

  /** Runs commands in bash, as pasted. Rejects when one fails. */
  async run(commands: string): Promise<Told> {
    const here = commands.replaceAll(PAGES_URL, this.#url).replaceAll(PAGES_STATE, `'${this.#state}'`)
    const bash = spawn('bash', ['-euo', 'pipefail', '-c', STATUSES_APART + here], { stdio: ['ignore', 'pipe', 'pipe'] })
    const heard = { stdout: '', stderr: '' }
    for (const name of ['stdout', 'stderr'] as const) {
      bash[name].setEncoding('utf8').on('data', (text: string) => {
        heard[name] += text
      })
    }
    const [code] = (await once(bash, 'close')) as [number | null]
    if (code !== 0) throw new Error(`exit code ${code}: ${heard.stderr}`)
    return { stdout: heard.stdout, statuses: heard.stderr.trim().split('\n').map(Number) }
  }

  /** The signal that ended the server: one of the examples kills it. */
  async ended(): Promise<NodeJS.Signals | null> {
    const server = this.#server
    if (server === undefined) throw new Error('no server was started')
    if (server.exitCode === null && server.signalCode === null) await once(server, 'exit')
    return server.signalCode
  }

  /** As with Ctrl-C. */
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
