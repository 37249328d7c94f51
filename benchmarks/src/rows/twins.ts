import { privateMegabytes, processorSeconds, residentMegabytes, withDescendants } from '../process-figures.ts'
import { type Program, runNode } from '../program.ts'
import type { Instruments, Row, Target } from '../row.ts'
import { programOf, startOnKernel } from '../server.ts'
import { compare, difference, inTurn } from '../statistics.ts'

/** Measured once, side by side with ours: PSS and processor time. */
const ORIGINAL = { megabytes: 0, privateMegabytes: 22, percent: 0.8 }
const itself = (ours: number): number => ours

type Crowd = Pick<Row, 'name' | 'what'> & { count: number; start: Start; kilobytesEach: number; percent?: number }
type Start = (count: number) => Promise<Program>

/**
 * Memory of each additional twin or connection in a process, and processor time of all together, compared with a process with one.
 * `kilobytesEach`, `percent`: the gates.
 */
export function crowdRow({ name, what, count, start, kilobytesEach: gate, percent }: Crowd): Row {
  const all: Target[] = percent === undefined ? [] : [{ of: 'processor, of one core', at: 'most', gate: percent, unit: '%' }]
  return {
    name,
    what,
    against: 'the process with one',
    targets: [{ of: 'memory of each', at: 'most', gate, unit: 'KB' }, ...all],
    measure: async ({ effort, clock }) => {
      const cost = (number: number) => async () => costAtRest(await start(number), effort.restMs, clock)
      const rounds = await inTurn(effort.starts, cost(count), cost(1))
      const kilobytes = (many: number, one: number): number => ((many - one) / (count - 1)) * 1000
      return [compare(rounds, 'megabytes', 'MB', kilobytes), compare(rounds, 'percent', '%', difference)]
    },
  }
}

/** All processes of a device, on a simulated kernel. */
export const deviceAtRest: Row = {
  name: 'device-at-rest',
  what: 'a device at rest, four modules, all processes',
  against: "the original's six programs",
  targets: [
    { of: 'private memory', at: 'most', gate: 50, unit: 'MB' },
    { of: 'processor, of one core', at: 'most', gate: 1.6, unit: '%' },
  ],
  measure: async ({ effort, clock }) => {
    // After so long V8 has compiled what runs often.
    const ours = async () => costAtRest(await startOnKernel(), 6 * effort.restMs, clock)
    const rounds = await inTurn(effort.starts, ours, async () => ORIGINAL)
    return [compare(rounds, 'privateMegabytes', 'MB', itself), compare(rounds, 'percent', '%', itself)]
  },
}

/** Memory and processor time of a program and those that it starts, after a time of rest, so that the start does not count. Ends it. */
async function costAtRest(program: Program, restMs: number, clock: Instruments['clock']) {
  await clock.sleep(restMs)
  const pids = withDescendants(program.pid)
  const total = (figure: (pid: number) => number): number => pids.reduce((sum, pid) => sum + figure(pid), 0)
  const [usedBefore, before] = [total(processorSeconds), clock.now()]
  await clock.sleep(restMs)
  const percent = ((total(processorSeconds) - usedBefore) / (clock.now() - before)) * 1000 * 100
  const cost = { percent, megabytes: total(residentMegabytes), privateMegabytes: total(privateMegabytes) }
  await program.stop()
  return cost
}

/** Speed of a twin compared with real time, without and with a driver. */
export const twinHour: Row = {
  name: 'twin-hour',
  what: 'one hour of twin time, default device, a pin changing every second',
  against: 'real time',
  targets: [
    { of: 'speed without driver', at: 'least', gate: 3600, unit: '×' },
    { of: 'speed with driver and service', at: 'least', gate: 1000, unit: '×' },
  ],
  measure: async ({ effort }) => {
    const hour = (kind: string) => async () => ({ seconds: Number(await runNode(programOf('twin-hour'), kind)) })
    const rounds = await inTurn(effort.starts, hour('alone'), hour('driven'))
    return (['ours', 'other'] as const).map((kind) => {
      const times = rounds.map((round) => ({ ours: round[kind], other: { seconds: 3600 } }))
      return compare(times, 'seconds', 's', (ours, real) => real / ours)
    })
  },
}
