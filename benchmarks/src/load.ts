import { createRequire } from 'node:module'
import { runProgram } from './program.ts'

/** One load: connections with one request at a time each, for a duration. */
export interface Load {
  readonly url: string
  readonly connections: number
  readonly seconds: number
  readonly headers?: Readonly<Record<string, string>>
}

export interface LoadResult {
  readonly requests: number
  readonly requestsPerSecond: number
  readonly p99Ms: number
}

/** A load generator in a separate process. */
export interface LoadTool {
  /** Name with version, for the report. */
  readonly name: string
  /** Rejects if any request had no answer or a status other than 200. */
  run(load: Load): Promise<LoadResult>
}

const require = createRequire(import.meta.url)
const MS_PER_UNIT: Readonly<Record<string, number>> = { us: 0.001, ms: 1, s: 1000, m: 60_000 }

/** wrk if it is installed, otherwise the repository's autocannon, which rounds latencies to milliseconds. */
export async function findLoadTool(): Promise<LoadTool> {
  const { code, stdout } = await runProgram('wrk', ['-v'])
  if (code === 'ENOENT') return { name: 'autocannon 9', run: runAutocannon }
  return { name: /^wrk \S+/.exec(stdout)?.[0] ?? 'wrk', run: runWrk }
}

/** Sends a number of requests, however long they take. */
export async function sendRequests(of: { url: string; connections: number; amount: number }): Promise<void> {
  const { requests } = await cannon([`-c${of.connections}`, `-a${of.amount}`, of.url])
  if (requests !== of.amount) throw new Error(`${requests} requests instead of ${of.amount} were answered`)
}

function runAutocannon({ url, connections, seconds, headers = {} }: Load): Promise<LoadResult> {
  const given = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}=${value}`])
  return cannon([`-c${connections}`, `-d${seconds}`, ...given, url])
}

async function cannon(args: readonly string[]): Promise<LoadResult> {
  const { code, stdout, stderr } = await runProgram(process.execPath, [
    require.resolve('autocannon'),
    '--json',
    '--no-progress',
    ...args,
  ])
  if (code !== 0) throw new Error(`autocannon failed (${code}): ${stderr}`)
  return readAutocannon(stdout)
}

async function runWrk({ url, connections, seconds, headers = {} }: Load): Promise<LoadResult> {
  const given = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`])
  const args = ['--latency', '-t1', `-c${connections}`, `-d${seconds}s`, ...given, url]
  const { code, stdout, stderr } = await runProgram('wrk', args)
  if (code !== 0) throw new Error(`wrk failed (${code}): ${stderr}`)
  return readWrk(stdout)
}

interface AutocannonReport {
  readonly requests: { readonly total: number; readonly average: number }
  readonly latency: { readonly p99: number }
  readonly errors: number
  readonly non2xx: number
}

/** Parses the output of autocannon. Throws if requests had no answer, or a status other than 2xx. */
export function readAutocannon(text: string): LoadResult {
  const { requests, latency, errors, non2xx } = JSON.parse(text) as AutocannonReport
  if (errors > 0 || non2xx > 0) {
    throw new Error(`the load had failures: ${errors} errors, ${non2xx} answers of another status than 2xx`)
  }
  return { requests: requests.total, requestsPerSecond: requests.average, p99Ms: latency.p99 }
}

/** Parses the output of wrk. Throws if requests had no answer, or a status other than 2xx and 3xx. */
export function readWrk(text: string): LoadResult {
  const failures = /^ *(Socket errors|Non-2xx).*$/m.exec(text)
  if (failures !== null) throw new Error(`the load had failures: ${failures[0].trim()}`)
  const [, amount = '', unit = ''] = /^ *99% +([\d.]+)(us|ms|s|m)$/m.exec(text) ?? []
  const result = {
    requests: Number(/(\d+) requests in/.exec(text)?.[1]),
    requestsPerSecond: Number(/^Requests\/sec: +([\d.]+)$/m.exec(text)?.[1]),
    p99Ms: Number(amount) * (MS_PER_UNIT[unit] ?? Number.NaN),
  }
  if (Object.values(result).some(Number.isNaN)) throw new Error(`unexpected output of wrk: ${text}`)
  return result
}
