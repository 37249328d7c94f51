import { createRequire } from 'node:module'
import type { Load, LoadResult, LoadTool } from './load-tool.ts'
import { runProgram } from './run-program.ts'

const require = createRequire(import.meta.url)

/** autocannon, from the repository's own packages. Its latencies are whole milliseconds. */
export const autocannon: LoadTool = {
  name: 'autocannon 9',
  run: ({ url, connections, seconds, headers = {} }: Load) => {
    const given = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}=${value}`])
    return cannon([`-c${connections}`, `-d${seconds}`, ...given, url])
  },
}

/** So many requests, however long they take. */
export async function sendRequests(of: { url: string; connections: number; amount: number }): Promise<void> {
  const { requests } = await cannon([`-c${of.connections}`, `-a${of.amount}`, of.url])
  if (requests !== of.amount) throw new Error(`${requests} requests instead of ${of.amount} were answered`)
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

interface Report {
  readonly requests: { readonly total: number; readonly average: number }
  readonly latency: { readonly p99: number }
  readonly errors: number
  readonly non2xx: number
}

/** What autocannon has printed. Throws when it tells of requests without answer or with another status than 2xx. */
export function readAutocannon(text: string): LoadResult {
  const { requests, latency, errors, non2xx } = JSON.parse(text) as Report
  if (errors > 0 || non2xx > 0) {
    throw new Error(`the load was not answered as it should: ${errors} errors, ${non2xx} answers of another status than 2xx`)
  }
  return { requests: requests.total, requestsPerSecond: requests.average, p99Ms: latency.p99 }
}
