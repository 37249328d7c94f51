import { createRequire } from 'node:module'
import { outputOf, runNode } from './program.ts'

/** A load generator in a separate process. */
export interface LoadTool {
  /** Name with version, for the report. */
  readonly name: string
  /**
   * Sends requests for some seconds over connections with one request at a time each. `headers`: lines. Rejects if any request had no answer
   * or a status other than 200.
   */
  run(load: { url: string; connections: number; seconds: number; headers?: readonly string[] }): Promise<LoadResult>
}

type LoadResult = Readonly<Record<'requests' | 'requestsPerSecond' | 'p99Ms', number>>

const require = createRequire(import.meta.url)
const MS_PER_UNIT: Readonly<Record<string, number>> = { us: 0.001, ms: 1, s: 1000, m: 60_000 }

/** wrk if it is installed, otherwise the repository's autocannon, which rounds latencies to milliseconds. */
export async function findLoadTool(): Promise<LoadTool> {
  // Its help ends with an error code.
  const version = await outputOf('sh', '-c', 'command -v wrk && (wrk -v || true)').catch(() => undefined)
  return {
    name: version === undefined ? 'autocannon 9' : (/^wrk \S+/m.exec(version)?.[0] ?? 'wrk'),
    run: async ({ url, connections, seconds, headers = [] }) => {
      const words = [`-c${connections}`, `-d${seconds}`, ...headers.flatMap((header) => ['-H', header]), url]
      return version === undefined ? cannon(...words) : readWrk(await outputOf('wrk', '--latency', '-t1', ...words))
    },
  }
}

/** Sends a number of requests, however long they take. */
export async function sendRequests(url: string, connections: number, amount: number): Promise<void> {
  const { requests } = await cannon(`-c${connections}`, `-a${amount}`, url)
  if (requests !== amount) throw new Error(`${requests} requests instead of ${amount} were answered`)
}

async function cannon(...words: readonly string[]): Promise<LoadResult> {
  return readAutocannon(await runNode(require.resolve('autocannon'), '--json', '--no-progress', ...words))
}

/** Parses the output of autocannon. Throws if requests had no answer, or a status other than 2xx. */
export function readAutocannon(text: string): LoadResult {
  type Report = Readonly<Record<'requests' | 'latency', Record<string, number>> & Record<'errors' | 'non2xx', number>>
  const { requests, latency, errors, non2xx } = JSON.parse(text) as Report
  if (errors > 0 || non2xx > 0)
    throw new Error(`the load had failures: ${errors} errors, ${non2xx} answers of another status than 2xx`)
  return numbers(text, requests['total'], requests['average'], latency['p99'])
}

/** Parses the output of wrk. Throws if requests had no answer, or a status other than 2xx and 3xx. */
export function readWrk(text: string): LoadResult {
  const failures = /^ *(Socket errors|Non-2xx).*$/m.exec(text)
  if (failures !== null) throw new Error(`the load had failures: ${failures[0].trim()}`)
  const [, amount, unit = ''] = /^ *99% +([\d.]+)(us|ms|s|m)$/m.exec(text) ?? []
  const p99Ms = Number(amount) * (MS_PER_UNIT[unit] ?? Number.NaN)
  return numbers(text, /(\d+) requests in/.exec(text)?.[1], /^Requests\/sec: +([\d.]+)$/m.exec(text)?.[1], p99Ms)
}

function numbers(text: string, ...figures: readonly (string | number | undefined)[]): LoadResult {
  const [requests = Number.NaN, requestsPerSecond = Number.NaN, p99Ms = Number.NaN] = figures.map(Number)
  if (Number.isNaN(requests + requestsPerSecond + p99Ms)) throw new Error(`unexpected output: ${text}`)
  return { requests, requestsPerSecond, p99Ms }
}
