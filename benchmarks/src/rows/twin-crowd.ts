import { processorSeconds, residentMegabytes } from '../process-figures.ts'
import type { Program } from '../program.ts'
import type { Instruments, Row } from '../row.ts'
import { inTurn, readingOf } from '../statistics.ts'

const KILOBYTES_PER_MEGABYTE = 1000
const MS_PER_SECOND = 1000
const PERCENT = 100

/** A row about many twins in one process. */
export interface CrowdRow extends Pick<Row, 'name' | 'what'> {
  readonly twins: number
  readonly start: (twins: number) => Promise<Program>
  readonly maxKilobytesEach: number
  /** Share of one core for all of them together. */
  readonly maxPercent: number
}

/** Memory of each additional twin, and processor time of all together, compared with a process with one twin. */
export function crowdRow({ name, what, twins, start, maxKilobytesEach, maxPercent }: CrowdRow): Row {
  return {
    name,
    what,
    against: 'the process with one',
    goals: [
      { of: 'memory of each', at: 'most', bound: maxKilobytesEach, unit: 'KB' },
      { of: 'processor, of one core', at: 'most', bound: maxPercent, unit: '%' },
    ],
    measure: async (instruments) => {
      const cost = (count: number) => async () => costOf(await start(count), instruments)
      const rounds = await inTurn(instruments.effort.twinRounds, cost(twins), cost(1))
      return [
        readingOf(rounds, {
          value: ({ megabytes }) => megabytes,
          text: (megabytes) => `${megabytes.toFixed(1)} MB`,
          figure: (many, one) => ((many - one) / (twins - 1)) * KILOBYTES_PER_MEGABYTE,
        }),
        readingOf(rounds, {
          value: ({ corePercent }) => corePercent,
          text: (percent) => `${percent.toFixed(2)} %`,
          figure: (many, one) => many - one,
        }),
      ]
    },
  }
}

/** Measures after an idle time, so that the start-up does not count. */
async function costOf(program: Program, { clock, effort }: Instruments) {
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
