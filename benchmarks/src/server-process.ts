import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Answer, RequestOptions } from './answer.ts'
import { type Program, runProgram, startProgram } from './program.ts'

// The bundler takes a file beside it into the bundle: this one stays where it is.
const CLI = fileURLToPath(`${new URL('../../apps/cli/dist/', import.meta.url).href}main.js`)
const KERNEL_DEVICE = fileURLToPath(new URL('programs/kernel-device.js', import.meta.url))
const IDLE_TWINS = fileURLToPath(new URL('programs/idle-twins.js', import.meta.url))
const BARE_SERVER = fileURLToPath(new URL('programs/bare-server.js', import.meta.url))

/** A server in a separate process. */
export interface ServerProcess {
  readonly pid: number
  /** URL without a final slash. */
  readonly url: string
  /** How to send requests to it. */
  readonly requestOptions: RequestOptions
  /** Key and certificates of a server with TLS, in one file. */
  readonly tlsFile?: string
  readonly stop: () => Promise<void>
}

/** The used fields of the first line of `slotwire serve --json`, also with `--twins`. */
interface Announced {
  readonly urls: readonly string[]
  readonly networkUrls: readonly string[]
  readonly twins: readonly unknown[]
}

/** Starts `slotwire serve`, built or installed, with default options and a new state folder. */
export async function startSlotwire(program = CLI): Promise<ServerProcess> {
  const { urls, ...server } = await serve([], program)
  return { ...server, url: urls[0] ?? '', requestOptions: {} }
}

/** One device, served by one program or several. */
export interface ServedDevices {
  readonly pids: readonly number[]
  /** Without a final slash. */
  readonly url: string
  readonly stop: () => Promise<void>
}

/** Starts a simulated kernel with the modules of the default device, and `slotwire serve` on it. */
export async function startOnKernel(): Promise<ServedDevices> {
  const folder = await mkdtemp(join(tmpdir(), 'slotwire-benchmark-'))
  const device = startProgram([KERNEL_DEVICE, folder])
  await device.line()
  const roots = ['--hardware', 'kernel', '--sys-root', join(folder, 'sys'), '--dev-root', join(folder, 'dev')]
  const service = await serve(roots)
  const stop = async (): Promise<void> => {
    await service.stop()
    await device.stop()
    await rm(folder, { recursive: true })
  }
  return { pids: [service.pid], url: service.urls[0] ?? '', stop }
}

/** As `startSlotwire`, with the network door: TLS and a token. */
export async function startNetworkDoor(): Promise<ServerProcess> {
  const { networkUrls, state, ...server } = await serve(['--listen', '127.0.0.1', '--https-port', '0'])
  const created = await runProgram(process.execPath, [CLI, 'token', 'create', '--name', 'benchmark', '--state', state])
  const authorization = `Basic ${Buffer.from(`token:${created.stdout.trim()}`).toString('base64')}`
  return {
    ...server,
    url: networkUrls[0] ?? '',
    requestOptions: { headers: { authorization }, authority: await readFile(join(state, 'tls', 'authority.pem'), 'utf8') },
    tlsFile: join(state, 'tls', 'server.pem'),
  }
}

async function serve(
  options: readonly string[],
  main = CLI,
): Promise<Announced & { pid: number; state: string; stop(): Promise<void> }> {
  const state = await mkdtemp(join(tmpdir(), 'slotwire-benchmark-'))
  const program = startProgram([main, 'serve', '--port', '0', '--json', '--state', state, ...options], 'ignore')
  const stop = async (): Promise<void> => {
    await program.stop()
    await rm(state, { recursive: true })
  }
  return { ...(JSON.parse(await program.line()) as Announced), pid: program.pid, state, stop }
}

/** Starts a bare server that always returns this answer: `node:http`, or `node:https` with the same certificate as the given server. */
export async function startBare(answer: Answer, { tlsFile, requestOptions }: ServerProcess): Promise<ServerProcess> {
  const program = startProgram([BARE_SERVER, JSON.stringify(answer), ...(tlsFile === undefined ? [] : [tlsFile])])
  return { ...program, url: await program.line(), requestOptions }
}

/** As `startServedTwins`, with their URLs. */
export async function startTwinsAt(count: number): Promise<Program & { readonly urls: readonly string[] }> {
  const program = startProgram([CLI, 'serve', '--twins', String(count), '--port', '0', '--json'], 'ignore')
  const { twins } = JSON.parse(await program.line()) as { readonly twins: readonly { readonly url: string }[] }
  return { ...program, urls: twins.map(({ url }) => url) }
}

/** Starts `slotwire bridge`. Resolves when it runs; the broker may be connected later. */
export async function startBridge(options: readonly string[]): Promise<Program> {
  const program = startProgram([CLI, 'bridge', ...options])
  await program.line()
  return program
}

/** Starts `slotwire serve --twins`: devices with driver and service, each on a separate port. */
export async function startServedTwins(count: number): Promise<Program> {
  const program = startProgram([CLI, 'serve', '--twins', String(count), '--port', '0', '--json'], 'ignore')
  return assertTwins(program, (JSON.parse(await program.line()) as Announced).twins.length, count)
}

/** Starts a program with devices without a driver. */
export async function startIdleTwins(count: number): Promise<Program> {
  const program = startProgram([IDLE_TWINS, String(count)])
  return assertTwins(program, Number(await program.line()), count)
}

async function assertTwins(program: Program, found: number, wanted: number): Promise<Program> {
  if (found === wanted) return program
  await program.stop()
  throw new Error(`${found} twins instead of ${wanted}`)
}
