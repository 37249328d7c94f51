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
const IDLE_TWINS = fileURLToPath(new URL('programs/idle-twins.js', import.meta.url))
const BARE_SERVER = fileURLToPath(new URL('programs/bare-server.js', import.meta.url))

/** A program in a process of its own. */
export interface ProgramProcess {
  readonly pid: number
  stop(): Promise<void>
}

/** A server in a process of its own. */
export interface ServerProcess extends ProgramProcess {
  /** Without a slash at its end. */
  readonly url: string
  /** How it wants to be asked. */
  readonly asking: Asking
  /** Key and certificates of a server with TLS, in one file. */
  readonly tlsFile?: string
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

/** Starts `slotwire serve --twins`: so many devices with driver and service, each at a port of its own. */
export function startServedTwins(count: number): Promise<ProgramProcess> {
  const args = [CLI, 'serve', '--twins', String(count), '--port', '0', '--json']
  return startTwins(args, count, (line) => (JSON.parse(line) as AnnouncedTwins).twins.length)
}

/** Starts a program with so many devices that have no driver. */
export function startIdleTwins(count: number): Promise<ProgramProcess> {
  return startTwins([IDLE_TWINS, String(count)], count, Number)
}

async function startTwins(
  args: readonly string[],
  wanted: number,
  countIn: (firstLine: string) => number,
): Promise<ProgramProcess> {
  const { line, ...started } = await startProgram(args)
  if (countIn(line) === wanted) return started
  await started.stop()
  throw new Error(`${wanted} twins were wanted: ${line}`)
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

/** What is read of the first line of `slotwire serve --json`, and with `--twins`. */
interface Announced {
  readonly urls: readonly string[]
  readonly networkUrls: readonly string[]
}

interface AnnouncedTwins {
  readonly twins: readonly unknown[]
}

type Running = Pick<ServerProcess, 'pid' | 'url' | 'stop'>

async function start(args: readonly string[], urlIn: (firstLine: string) => string | undefined): Promise<Running> {
  const { line, ...started } = await startProgram(args)
  const url = urlIn(line)
  if (url === undefined) throw new Error(`${args[0]} does not say where it listens: ${line}`)
  return { ...started, url }
}

/** Starts a program of Node.js; resolves with the first line that it says. */
async function startProgram(args: readonly string[]): Promise<ProgramProcess & { readonly line: string }> {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'] })
  const line = await firstLine(child)
  if (child.pid === undefined) throw new Error(`${args[0]} did not start`)
  return { line, pid: child.pid, stop: () => endChild(child) }
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
