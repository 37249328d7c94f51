import { processorSeconds, residentMegabytes } from '../process-figures.ts'
import type { Instruments, Reading, Row } from '../row.ts'
import type { ProgramProcess } from '../server-process.ts'
import { median } from '../statistics.ts'

const KILOBYTES_PER_MEGABYTE = 1000
const MS_PER_SECOND = 1000
const PERCENT = 100

/** Many twins in one process. */
export interface CrowdRow extends Pick<Row, 'name' | 'what'> {
  readonly twins: number
  readonly start: (twins: number) => Promise<ProgramProcess>
  readonly mostKilobytesEach: number
  /** Of one core, all of them together. */
  readonly mostPercent: number
}

interface Cost {
  readonly megabytes: number
  readonly corePercent: number
}

/** What each twin costs in memory, and all of them together in processor time, beyond the process with a single one. */
export function crowdRow({ name, what, twins, start, mostKilobytesEach, mostPercent }: CrowdRow): Row {
  return {
    name,
    what,
    against: 'the process with one',
    goals: [
      { of: 'memory of each', at: 'most', bound: mostKilobytesEach, unit: 'KB' },
      { of: 'processor, of one core', at: 'most', bound: mostPercent, unit: '%' },
    ],
    measure: async (instruments) => {
      const rounds: { many: Cost; one: Cost }[] = []
      for (let round = 0; round < instruments.effort.twinRounds; round++) {
        rounds.push({ many: await costOf(await start(twins), instruments), one: await costOf(await start(1), instruments) })
      }
      return readingsOf(rounds, twins)
    },
  }
}

/** Once they have been left alone for a while, so that what it took to bring them up does not count. */
async function costOf(program: ProgramProcess, { clock, effort }: Instruments): Promise<Cost> {
  const { pid } = program
  try {
    await clock.sleep(effort.twinSettleMs)
    const [usedBefore, before] = [processorSeconds(pid), clock.now()]
    await clock.sleep(effort.twinWatchMs)
    const seconds = (clock.now() - before) / MS_PER_SECOND
    return { megabytes: residentMegabytes(pid), corePercent: ((processorSeconds(pid) - usedBefore) / seconds) * PERCENT }
  } finally {
    await program.stop()
  }
}

function readingsOf(rounds: readonly { many: Cost; one: Cost }[], twins: number): Reading[] {
  const memory = (costs: readonly Cost[]): string => `${median(costs.map(({ megabytes }) => megabytes)).toFixed(1)} MB`
  const percent = (costs: readonly Cost[]): string => `${median(costs.map(({ corePercent }) => corePercent)).toFixed(2)} %`
  const many = rounds.map((round) => round.many)
  const one = rounds.map((round) => round.one)
  const megabytesEach = rounds.map((round) => (round.many.megabytes - round.one.megabytes) / (twins - 1))
  return [
    { measured: memory(many), comparison: memory(one), figure: median(megabytesEach) * KILOBYTES_PER_MEGABYTE },
    {
      measured: percent(many),
      comparison: percent(one),
      figure: median(rounds.map((round) => round.many.corePercent - round.one.corePercent)),
    },
  ]
}
