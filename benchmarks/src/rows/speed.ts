import { askOk, assertSameAnswer } from '../answer.ts'
import type { LoadTool } from '../load.ts'
import { processorSeconds } from '../process-figures.ts'
import type { Instruments, Reading, Row } from '../row.ts'
import { type ServerProcess, startBare, startNetworkDoor, startSlotwire } from '../server-process.ts'
import { inTurn, median, readingOf } from '../statistics.ts'

const CONNECTIONS = 32
const WARM_UP_SECONDS = 2
const MICROSECONDS_PER_SECOND = 1_000_000

interface Speed {
  readonly requestsPerSecond: number
  /** Processor time of the server per request: shows whether a low rate is due to the server or the machine. */
  readonly microseconds: number
}

/** The doors of a service, each with a comparable bare server. */
const DOORS = {
  loopback: { start: startSlotwire, bare: 'node:http' },
  network: { start: startNetworkDoor, bare: 'node:https' },
} as const

/** Requests per second at one path of a whole service with default options, compared with a bare server with the same answer. */
export function speedRow(of: { name: string; what: string; path: string; atLeast: number; door?: keyof typeof DOORS }): Row {
  const door = DOORS[of.door ?? 'loopback']
  return {
    name: of.name,
    what: of.what,
    against: `bare ${door.bare}, same body and headers`,
    goals: [{ of: 'requests per second', at: 'least', bound: of.atLeast, unit: '×' }],
    measure: async (instruments) => {
      const slotwire = await door.start()
      try {
        const answer = await askOk(slotwire.url + of.path, slotwire.requestOptions)
        const bare = await startBare(answer, slotwire)
        try {
          assertSameAnswer(answer, await askOk(bare.url + of.path, bare.requestOptions))
          return [await compare(slotwire, bare, of.path, instruments)]
        } finally {
          await bare.stop()
        }
      } finally {
        await slotwire.stop()
      }
    },
  }
}

async function compare(ours: ServerProcess, bare: ServerProcess, path: string, { effort, load }: Instruments): Promise<Reading> {
  for (const server of [ours, bare]) await speedOf(server, path, WARM_UP_SECONDS, load)
  const speed = (server: ServerProcess) => () => speedOf(server, path, effort.loadSeconds, load)
  const rounds = await inTurn(effort.rounds, speed(ours), speed(bare))
  const { figure } = readingOf(rounds, {
    value: ({ requestsPerSecond }) => requestsPerSecond,
    text: String,
    figure: (our, other) => our / other,
  })
  return { measured: format(rounds.map((round) => round.ours)), comparison: format(rounds.map(({ other }) => other)), figure }
}

async function speedOf(
  { url, pid, requestOptions }: ServerProcess,
  path: string,
  seconds: number,
  load: LoadTool,
): Promise<Speed> {
  const before = processorSeconds(pid)
  const { requests, requestsPerSecond } = await load.run({
    url: url + path,
    connections: CONNECTIONS,
    seconds,
    ...(requestOptions.headers === undefined ? {} : { headers: requestOptions.headers }),
  })
  return { requestsPerSecond, microseconds: ((processorSeconds(pid) - before) / requests) * MICROSECONDS_PER_SECOND }
}

function format(speeds: readonly Speed[]): string {
  const rate = Math.round(median(speeds.map(({ requestsPerSecond }) => requestsPerSecond)))
  const cost = median(speeds.map(({ microseconds }) => microseconds))
  return `${rate}/s, ${cost.toFixed(1)} µs of processor each`
}
