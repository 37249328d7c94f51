import { askOk } from '../answer.ts'
import { sendRequests } from '../load.ts'
import { residentMegabytes } from '../process-figures.ts'
import type { Instruments, Row } from '../row.ts'
import { type ServerProcess, startBare, startSlotwire } from '../server-process.ts'
import { inTurn, median, readingOf } from '../statistics.ts'

const PATH = '/api/io/1.0/5/input/values'
const CONNECTIONS = 32
/** Time to release the closed connections of a load. */
const SETTLE_MS = 1000

/** Resident memory after a first and a second load of equal size. */
export const memory: Row = {
  name: 'memory',
  what: 'memory of `slotwire serve`, default device, after 100,000 requests',
  against: 'bare node:http after as many',
  goals: [
    { of: 'more than the bare server', at: 'most', bound: 45, unit: 'MB' },
    { of: 'added by the second 100,000', at: 'most', bound: 2, unit: 'MB' },
  ],
  measure: async (instruments) => {
    const rounds = await inTurn(
      instruments.effort.memoryRounds,
      async () => memoryOf(await startSlotwire(), instruments),
      async () => memoryOf(await startLikeSlotwire(), instruments),
    )
    const text = (megabytes: number): string => `${megabytes.toFixed(1)} MB`
    const figure = (ours: number, bare: number): number => ours - bare
    return [
      readingOf(rounds, { value: ({ first }) => first, text, figure }),
      {
        ...readingOf(rounds, { value: ({ second }) => second, text, figure }),
        figure: median(rounds.map(({ ours }) => ours.second - ours.first)),
      },
    ]
  },
}

async function startLikeSlotwire(): Promise<ServerProcess> {
  const slotwire = await startSlotwire()
  try {
    return await startBare(await askOk(slotwire.url + PATH), slotwire)
  } finally {
    await slotwire.stop()
  }
}

async function memoryOf({ url, pid, stop }: ServerProcess, { effort, clock }: Instruments) {
  const afterLoad = async (): Promise<number> => {
    await sendRequests({ url: url + PATH, connections: CONNECTIONS, amount: effort.memoryRequests })
    await clock.sleep(SETTLE_MS)
    return residentMegabytes(pid)
  }
  try {
    return { first: await afterLoad(), second: await afterLoad() }
  } finally {
    await stop()
  }
}
