import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Answer } from './lean-client.ts'
import { type Program, runNode, startNode, temporaryFolder } from './program.ts'

/** The repository, seen from the bundle. */
export const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const CLI = join(ROOT, 'apps/cli/dist/main.js')

/** A server in a separate process. */
export interface Server extends Program {
  /** Without a final slash. */
  readonly url: string
  /** Lines for each request. */
  readonly headers?: readonly string[]
  /** The authority of its certificate (PEM), and the file with its key and certificates. */
  readonly ca?: string
  readonly tlsFile?: string
}

/** The used fields of the first line of `slotwire serve --json`. */
type Announced = Readonly<Record<'urls' | 'networkUrls', readonly string[]>>

/** The path of a program of the benchmarks. */
export const programOf = (name: string): string => join(ROOT, `benchmarks/dist/${name}.js`)

/** Starts `slotwire serve`, built or installed, with a new state folder. */
export async function startSlotwire(options: readonly string[] = [], main = CLI) {
  const state = temporaryFolder()
  const program = await startNode([main, 'serve', '--port', '0', '--json', '--state', state, ...options], 'ignore')
  const { urls, networkUrls } = JSON.parse(program.first) as Announced
  return { ...program, url: String(urls[0]), networkUrl: String(networkUrls[0]), state }
}

/** As `startSlotwire`, at the network door: TLS and a token. */
export async function startNetworkDoor(): Promise<Required<Server>> {
  const { networkUrl: url, state, ...server } = await startSlotwire(['--listen', '127.0.0.1', '--https-port', '0'])
  const token = (await runNode(CLI, 'token', 'create', '--name', 'benchmark', '--state', state)).trim()
  const headers = [`authorization: Basic ${Buffer.from(`token:${token}`).toString('base64')}`]
  const ca = readFileSync(join(state, 'tls', 'authority.pem'), 'utf8')
  return { ...server, url, headers, ca, tlsFile: join(state, 'tls', 'server.pem') }
}

/** Starts a simulated kernel with the modules of the default device, and `slotwire serve` on it. */
export async function startOnKernel(): Promise<Server> {
  const folder = temporaryFolder()
  const kernel = await startNode([programOf('kernel-device'), folder])
  const roots = ['--sys-root', join(folder, 'sys'), '--dev-root', join(folder, 'dev')]
  const service = await startSlotwire(['--hardware', 'kernel', ...roots])
  return { ...service, stop: () => service.stop().then(kernel.stop) }
}

/** Starts a bare server that always returns this answer: `node:http`, or `node:https` with the certificate of the given server. */
export async function startBare(answer: Answer, { tlsFile, headers = [], ca = '' }: Server): Promise<Server> {
  const program = await startNode([programOf('bare-server'), JSON.stringify(answer), ...(tlsFile === undefined ? [] : [tlsFile])])
  return { ...program, url: program.first, headers, ca }
}

/** Starts `slotwire serve --twins`: devices with driver and service, each on a separate port. */
export function startServedTwins(count: number): Promise<Program> {
  return startNode([CLI, 'serve', '--twins', String(count), '--port', '0', '--json'], 'ignore')
}

/** Starts a program with devices without a driver. */
export function startIdleTwins(count: number): Promise<Program> {
  return startNode([programOf('idle-twins'), String(count)])
}
