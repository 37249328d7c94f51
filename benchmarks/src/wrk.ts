import type { Load, LoadResult, LoadTool } from './load-tool.ts'
import { runProgram } from './run-program.ts'

const MS_PER_UNIT: Readonly<Record<string, number>> = { us: 0.001, ms: 1, s: 1000, m: 60_000 }

/** wrk; undefined where it is not installed. */
export async function wrk(): Promise<LoadTool | undefined> {
  const { code, stdout } = await runProgram('wrk', ['-v'])
  if (code === 'ENOENT') return undefined
  return { name: /^wrk \S+/.exec(stdout)?.[0] ?? 'wrk', run }
}

async function run({ url, connections, seconds, headers = {} }: Load): Promise<LoadResult> {
  const given = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`])
  const args = ['--latency', '-t1', `-c${connections}`, `-d${seconds}s`, ...given, url]
  const { code, stdout, stderr } = await runProgram('wrk', args)
  if (code !== 0) throw new Error(`wrk failed (${code}): ${stderr}`)
  return readWrk(stdout)
}

/** What wrk has printed. Throws when it tells of requests without answer or with another status than 2xx and 3xx. */
export function readWrk(text: string): LoadResult {
  const failures = /^ *(Socket errors|Non-2xx).*$/m.exec(text)
  if (failures !== null) throw new Error(`the load was not answered as it should: ${failures[0].trim()}`)
  const [, amount = '', unit = ''] = /^ *99% +([\d.]+)(us|ms|s|m)$/m.exec(text) ?? []
  const result = {
    requests: Number(/(\d+) requests in/.exec(text)?.[1]),
    requestsPerSecond: Number(/^Requests\/sec: +([\d.]+)$/m.exec(text)?.[1]),
    p99Ms: Number(amount) * (MS_PER_UNIT[unit] ?? Number.NaN),
  }
  if (Object.values(result).some(Number.isNaN)) throw new Error(`wrk said something else than expected: ${text}`)
  return result
}
