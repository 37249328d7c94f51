import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { Answer } from './answer.ts'

const CLI = fileURLToPath(new URL('../../apps/cli/dist/main.js', import.meta.url))
const BARE_SERVER = fileURLToPath(new URL('programs/bare-server.js', import.meta.url))

/** A server in a process of its own. */
export interface ServerProcess {
  readonly pid: number
  /** Without a slash at its end. */
  readonly url: string
  stop(): Promise<void>
}

/** Arguments of Node.js for `slotwire serve` with its defaults. */
export function serveArguments(stateFolder: string, port: number): string[] {
  return [CLI, 'serve', '--port', String(port), '--json', '--state', stateFolder]
}

/** Starts `slotwire serve` as it is built, with its defaults and a state folder of its own. */
export async function startSlotwire(): Promise<ServerProcess> {
  const stateFolder = await mkdtemp(join(tmpdir(), 'slotwire-benchmark-'))
  const server = await start(serveArguments(stateFolder, 0), (line) => (JSON.parse(line) as { urls: string[] }).urls[0])
  const stop = async (): Promise<void> => {
    await server.stop()
    await rm(stateFolder, { recursive: true })
  }
  return { ...server, stop }
}

/** Starts a bare `node:http` server that always gives this answer. */
export function startBare(answer: Answer): Promise<ServerProcess> {
  return start([BARE_SERVER, JSON.stringify(answer)], (line) => line)
}

async function start(args: readonly string[], urlIn: (firstLine: string) => string | undefined): Promise<ServerProcess> {
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
