import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { Answer, Asking } from './answer.ts'
import { runProgram } from './run-program.ts'

const CLI = fileURLToPath(new URL('../../apps/cli/dist/main.js', import.meta.url))
const BARE_SERVER = fileURLToPath(new URL('programs/bare-server.js', import.meta.url))

/** A server in a process of its own. */
export interface ServerProcess {
  readonly pid: number
  /** Without a slash at its end. */
  readonly url: string
  /** How it wants to be asked. */
  readonly asking: Asking
  /** Key and certificates of a server with TLS, in one file. */
  readonly tlsFile?: string
  stop(): Promise<void>
}

/** Arguments of Node.js for `slotwire serve` with its defaults. */
export function serveArguments(stateFolder: string, port: number): string[] {
  return [CLI, 'serve', '--port', String(port), '--json', '--state', stateFolder]
}

/** Starts `slotwire serve` as it is built, with its defaults and a state folder of its own. */
export async function startSlotwire(): Promise<ServerProcess> {
  const stateFolder = await mkdtemp(join(tmpdir(), 'slotwire-benchmark-'))
  const server = await start(serveArguments(stateFolder, 0), (line) => (JSON.parse(line) as Announced).urls[0])
  return { ...server, asking: {}, stop: () => stopAndForget(server, stateFolder) }
}

/** The same, but the network door: TLS, and a token. */
export async function startNetworkDoor(): Promise<ServerProcess> {
  const stateFolder = await mkdtemp(join(tmpdir(), 'slotwire-benchmark-'))
  const args = [...serveArguments(stateFolder, 0), '--listen', '127.0.0.1', '--https-port', '0']
  const server = await start(args, (line) => (JSON.parse(line) as Announced).networkUrls[0])
  const created = await runProgram(process.execPath, [CLI, 'token', 'create', '--name', 'benchmark', '--state', stateFolder])
  const authorization = `Basic ${Buffer.from(`token:${created.stdout.trim()}`).toString('base64')}`
  return {
    ...server,
    asking: { headers: { authorization }, authority: await readFile(join(stateFolder, 'tls', 'authority.pem'), 'utf8') },
    tlsFile: join(stateFolder, 'tls', 'server.pem'),
    stop: () => stopAndForget(server, stateFolder),
  }
}

async function stopAndForget(server: Running, stateFolder: string): Promise<void> {
  await server.stop()
  await rm(stateFolder, { recursive: true })
}

/** Starts a bare server that always gives this answer: `node:http`, or `node:https` with the same certificate as `like`. */
export async function startBare(answer: Answer, like: ServerProcess): Promise<ServerProcess> {
  const { tlsFile, asking } = like
  const args = [BARE_SERVER, JSON.stringify(answer), ...(tlsFile === undefined ? [] : [tlsFile])]
  return { ...(await start(args, (line) => line)), asking }
}

/** What is read of the first line of `slotwire serve --json`. */
interface Announced {
  readonly urls: readonly string[]
  readonly networkUrls: readonly string[]
}

type Running = Pick<ServerProcess, 'pid' | 'url' | 'stop'>

async function start(args: readonly string[], urlIn: (firstLine: string) => string | undefined): Promise<Running> {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'] })
  const line = await firstLine(child)
  const url = urlIn(line)
  if (child.pid === undefined || url === undefined) throw new Error(`${args[0]} does not say where it listens: ${line}`)
  return { pid: child.pid, url, stop: () => endChild(child) }
}

async function firstLine(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error('nothing to read from')
  for await (const line of createInterface({ input: child.stdout })) return line
  throw new Error('a server ended before it said where it listens')
}

/** Ends a program that was started here. */
export async function endChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGTERM')
  await once(child, 'exit')
}
