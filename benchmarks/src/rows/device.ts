import { LeanClient } from '../lean-client.ts'
import { sendRequests } from '../load.ts'
import { privateMegabytes, processorSeconds, proportionalMegabytes, withDescendants } from '../process-figures.ts'
import type { Instruments, Reading, Row } from '../row.ts'
import { type ServedDevices, startOnKernel, startSlotwire } from '../server-process.ts'
import { inTurn, readingOf } from '../statistics.ts'

const PATH = '/api/io/1.0/3/input/values'
const CONNECTIONS = 32
const MS_PER_SECOND = 1000
const PERCENT = 100

/** Time to release the closed connections of a load. */
const SETTLE_MS = 1000

/** The ways to serve a device, in the order of the goals. */
const ways = {
  kernel: startOnKernel,
  twin: async () => {
    const twin = await startSlotwire()
    return { ...twin, pids: [twin.pid] }
  },
} satisfies Readonly<Record<string, () => Promise<ServedDevices>>>
const ORIGINAL = 'the original services on such a device'

/** Processor time of a device at rest, of all its processes. */
export const deviceIdle: Row = {
  name: 'device-idle',
  what: 'a device at rest, four modules, all processes: part of one core',
  against: ORIGINAL,
  goals: [
    { of: 'kernel', at: 'most', bound: 1.6, unit: '%' },
    { of: 'twin', at: 'most', bound: 1, unit: '%' },
  ],
  measure: async (instruments) => {
    const found: number[] = []
    for (const start of Object.values(ways)) found.push(await idlePercent(await start(), instruments))
    return found.map((figure) => ({ measured: `${figure.toFixed(2)} %`, comparison: '0.8 %', figure }))
  },
}

/** Memory of a device at rest that no other process shares, and its growth under load. */
export const deviceMemory: Row = {
  name: 'device-memory',
  what: 'a device at rest, four modules, all processes: private memory',
  against: ORIGINAL,
  goals: [
    { of: 'kernel', at: 'most', bound: 50, unit: 'MB' },
    { of: 'kernel, added by 100,000 requests', at: 'most', bound: 20, unit: 'MB' },
  ],
  measure: async (instruments) => {
    const { atRest, afterLoad } = await memoryOf(await ways.kernel(), instruments)
    const text = ({ own, proportional }: Memory): string => `${own.toFixed(1)} MB (PSS ${proportional.toFixed(1)} MB)`
    const reading = (memory: Memory, comparison: string): Reading => ({ measured: text(memory), comparison, figure: memory.own })
    const grown = afterLoad.own - atRest.own
    return [reading(atRest, 'PSS 22 MB'), { ...reading(afterLoad, 'not measured'), figure: grown }]
  },
}

interface Memory {
  /** What no other process uses: Private_Clean and Private_Dirty. */
  readonly own: number
  readonly proportional: number
}

async function memoryOf({ url, pids, stop }: ServedDevices, { clock, effort }: Instruments) {
  const memory = (): Memory => {
    const all = pids.flatMap(withDescendants)
    return { own: sum(all.map(privateMegabytes)), proportional: sum(all.map(proportionalMegabytes)) }
  }
  try {
    await clock.sleep(effort.restSettleMs)
    const atRest = memory()
    await sendRequests({ url: url + PATH, connections: CONNECTIONS, amount: effort.memoryRequests })
    await clock.sleep(SETTLE_MS)
    return { atRest, afterLoad: memory() }
  } finally {
    await stop()
  }
}

async function idlePercent({ pids, stop }: ServedDevices, { clock, effort }: Instruments): Promise<number> {
  try {
    await clock.sleep(effort.restSettleMs)
    const all = pids.flatMap(withDescendants)
    const used = (): number => sum(all.map(processorSeconds))
    const [usedBefore, before] = [used(), clock.now()]
    await clock.sleep(effort.restWatchMs)
    return ((used() - usedBefore) / (clock.now() - before)) * MS_PER_SECOND * PERCENT
  } finally {
    await stop()
  }
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}

/** A fresh read through processes and files of the kernel, compared with the twin in the process. */
export const freshRead: Row = {
  name: 'fresh-read',
  what: '`no-cache` reads of one client through the files of the kernel',
  against: 'on the embedded twin',
  goals: [{ of: 'rate', at: 'least', bound: 0.3, unit: '×' }],
  measure: async ({ clock, effort }) => {
    const [kernel, twin] = [await ways.kernel(), await startSlotwire()]
    const clients = [await LeanClient.connect(kernel.url), await LeanClient.connect(twin.url)] as const
    const rate = (client: LeanClient) => async () => {
      const started = clock.now()
      let count = 0
      for (; clock.now() - started < effort.exchangeMs; count++) await client.ask(PATH, undefined, 'cache-control: no-cache')
      return (count / (clock.now() - started)) * MS_PER_SECOND
    }
    try {
      await inTurn(1, rate(clients[0]), rate(clients[1]))
      const rounds = await inTurn(effort.rounds, rate(clients[0]), rate(clients[1]))
      return [
        readingOf(rounds, { value: (one) => one, text: (one) => `${one.toFixed(0)} /s`, figure: (ours, other) => ours / other }),
      ]
    } finally {
      for (const client of clients) client.close()
      await Promise.all([kernel.stop(), twin.stop()])
    }
  },
}
