import type { Clock } from '@slotwire/core'
import { askWell } from '../answer.ts'
import { sendRequests } from '../autocannon.ts'
import { residentMegabytes } from '../process-figures.ts'
import type { Instruments, Row } from '../row.ts'
import { type ServerProcess, startBare, startSlotwire } from '../server-process.ts'
import { median } from '../statistics.ts'

const PATH = '/api/io/1.0/5/input/values'
const CONNECTIONS = 32
/** What a load has left behind in closed connections is cleared away first. */
const SETTLE_MS = 1000

interface Memory {
  readonly first: number
  readonly second: number
}

/** Resident memory after a first and a second load of as many requests. */
export const memory: Row = {
  name: 'memory',
  what: 'memory of `slotwire serve`, default device, after 100,000 requests',
  against: 'bare node:http after as many',
  goals: [
    { of: 'more than the bare server', at: 'most', bound: 45, unit: 'MB' },
    { of: 'added by the second 100,000', at: 'most', bound: 2, unit: 'MB' },
  ],
  measure: async (instruments) => {
    const rounds: { ours: Memory; bare: Memory }[] = []
    for (let round = 0; round < instruments.effort.memoryRounds; round++) rounds.push(await measureBoth(instruments))
    const ours = rounds.map((round) => round.ours)
    const bare = rounds.map((round) => round.bare)
    const middle = (values: readonly number[]): string => `${median(values).toFixed(1)} MB`
    return [
      {
        measured: middle(ours.map(({ first }) => first)),
        comparison: middle(bare.map(({ first }) => first)),
        figure: median(rounds.map((round) => round.ours.first - round.bare.first)),
      },
      {
        measured: middle(ours.map(({ second }) => second)),
        comparison: middle(bare.map(({ second }) => second)),
        figure: median(ours.map(({ first, second }) => second - first)),
      },
    ]
  },
}

async function measureBoth(instruments: Instruments): Promise<{ ours: Memory; bare: Memory }> {
  const slotwire = await startSlotwire()
  const answer = await askWell(slotwire.url + PATH)
  const ours = await memoryOf(slotwire, instruments)
  return { ours, bare: await memoryOf(await startBare(answer, slotwire), instruments) }
}

async function memoryOf(server: ServerProcess, { effort, clock }: Instruments): Promise<Memory> {
  try {
    const first = await after(effort.memoryRequests, server, clock)
    return { first, second: await after(effort.memoryRequests, server, clock) }
  } finally {
    await server.stop()
  }
}

async function after(amount: number, { url, pid }: ServerProcess, clock: Clock): Promise<number> {
  await sendRequests({ url: url + PATH, connections: CONNECTIONS, amount })
  await clock.sleep(SETTLE_MS)
  return residentMegabytes(pid)
}
