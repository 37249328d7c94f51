import type { Clock } from '@slotwire/core'
import { type Answer, connectTo } from '../lean-client.ts'
import { sendRequests } from '../load.ts'
import { processorSeconds, residentMegabytes } from '../process-figures.ts'
import type { Row, Target } from '../row.ts'
import { type Server, startBare, startNetworkDoor, startOnKernel, startSlotwire } from '../server.ts'
import { compare, difference, inTurn, ratio } from '../statistics.ts'

export const CACHED = '/api/io/1.0/5/input/values'
const FRESH = '/api/io/1.0/3/input/values'
const CONNECTIONS = 32
/** The young generation still grows with fewer, so a quick run sends as many. */
const MEMORY_REQUESTS = 100_000
const MS_PER_SECOND = 1000

type Gate = Pick<Target, 'gate' | 'goal'>
type Speed = Pick<Row, 'name' | 'what'> & Gate & { path: string; isSecure?: boolean; processor?: Gate }

/**
 * Requests at one path of a whole service with default options, compared with a bare server with the same answer. `gate`: of requests per
 * second. `processor`: time of the server for a request; it shows whether a low rate is due to the server or the machine.
 */
export function speedRow({ name, what, path, isSecure = false, gate, processor }: Speed): Row {
  return {
    name,
    what,
    against: `bare ${isSecure ? 'node:https' : 'node:http'}, same body and headers`,
    targets: [
      { of: 'requests per second', at: 'least', gate, unit: '×' },
      ...(processor === undefined ? [] : [{ of: 'processor time of each', at: 'most', unit: '×', ...processor } as const]),
    ],
    measure: async ({ effort, load }) => {
      const slotwire: Server = await (isSecure ? startNetworkDoor() : startSlotwire())
      const answer = await answerOf(slotwire, path)
      const bare = await startBare(answer, slotwire)
      assertSame(answer, await answerOf(bare, path))
      const speedOf = (server: Server) => async () => {
        const { url, pid, headers = [] } = server
        const before = processorSeconds(pid)
        const of = { url: url + path, connections: CONNECTIONS, seconds: effort.loadSeconds, headers }
        const { requests, requestsPerSecond } = await load.run(of)
        return { requestsPerSecond, microseconds: ((processorSeconds(pid) - before) / requests) * 1_000_000 }
      }
      const [ours, other] = [speedOf(slotwire), speedOf(bare)]
      // New programs are slower.
      await inTurn(1, ours, other)
      const rounds = await inTurn(effort.loads, ours, other)
      return [compare(rounds, 'requestsPerSecond', '/s', ratio), compare(rounds, 'microseconds', 'µs', ratio)]
    },
  }
}

async function answerOf(server: Server, path: string): Promise<Answer> {
  const client = await connectTo(server.url, server)
  const answer = await client.ask(path)
  client.close()
  return answer
}

/** Throws unless both answers are identical, except for the time in `Date`. */
function assertSame(ours: Answer, bare: Answer): void {
  const [wanted, bareAnswer] = [ours, bare].map(({ head, body }) => `${head.replace(/^Date: .*$/m, '')}\n${body}`)
  if (wanted !== bareAnswer) throw new Error(`the bare server answers\n${bareAnswer}\ninstead of\n${wanted}`)
}

/** Resident memory after a first and a second load of equal size. */
export const memory: Row = {
  name: 'memory',
  what: 'memory of `slotwire serve`, default device, default flags',
  against: 'bare node:http after as many',
  targets: [
    { of: 'after 100,000 requests, more than that', at: 'most', gate: 45, goal: 35, unit: 'MB' },
    { of: 'added by the second 100,000', at: 'most', gate: 2, unit: 'MB', against: 'after the first' },
  ],
  measure: async ({ effort, clock }) => {
    const slotwire: Server = await startSlotwire()
    const answer = await answerOf(slotwire, CACHED)
    const memoryOf = (start: () => Promise<Server>) => async () => {
      const { url, pid, stop } = await start()
      const afterLoad = async (): Promise<number> => {
        await sendRequests(url + CACHED, CONNECTIONS, MEMORY_REQUESTS)
        // The connections of the load are released.
        await clock.sleep(MS_PER_SECOND)
        return residentMegabytes(pid)
      }
      const megabytes = { first: await afterLoad(), second: await afterLoad() }
      await stop()
      return megabytes
    }
    const bare = memoryOf(() => startBare(answer, slotwire))
    const rounds = await inTurn(effort.starts, memoryOf(startSlotwire), bare)
    const grown = rounds.map(({ ours: { first, second } }) => ({ ours: { first: second }, other: { first } }))
    return [compare(rounds, 'first', 'MB', difference), compare(grown, 'first', 'MB', difference)]
  },
}

/** A fresh read through processes and files of the kernel, compared with the twin in the process. New processes in each round. */
export const freshRead: Row = {
  name: 'fresh-read',
  what: '`no-cache` reads of one client through the files of the kernel',
  against: 'on the embedded twin',
  targets: [{ of: 'rate', at: 'least', gate: 0.3, unit: '×' }],
  measure: async ({ clock, effort }) => {
    const rate = (start: () => Promise<Server>) => async () => rateOf(await start(), clock)
    return [compare(await inTurn(effort.starts, rate(startOnKernel), rate(startSlotwire)), 'perSecond', '/s', ratio)]
  },
}

async function rateOf({ url, stop }: Server, clock: Clock) {
  const client = await connectTo(url, { headers: ['cache-control: no-cache'] })
  const readFor = async (ms: number): Promise<number> => {
    const started = clock.now()
    let count = 0
    for (; clock.now() - started < ms; count++) await client.ask(FRESH)
    return (count / (clock.now() - started)) * MS_PER_SECOND
  }
  await readFor(MS_PER_SECOND)
  const perSecond = await readFor(MS_PER_SECOND)
  client.close()
  await stop()
  return { perSecond }
}
