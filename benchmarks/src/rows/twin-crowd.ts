import { fileURLToPath } from 'node:url'
import type { Effort } from '../effort.ts'
import type { Reading, Row } from '../row.ts'
import { runProgram } from '../run-program.ts'
import { median } from '../statistics.ts'

const PROGRAM = fileURLToPath(new URL('../programs/twin-crowd.js', import.meta.url))
const BYTES_PER_KB = 1000
const BYTES_PER_MB = 1_000_000

/** Many twins in one process. */
export interface CrowdRow extends Pick<Row, 'name' | 'what'> {
  readonly kind: 'idle' | 'served'
  readonly twins: number
  readonly mostKilobytesEach: number
  /** Of one core, all of them together. */
  readonly mostPercent: number
}

interface Cost {
  readonly residentBytes: number
  readonly corePercent: number
}

/** What each twin costs in memory, and all of them together in processor time, beyond the process with a single one. */
export function crowdRow({ name, what, kind, twins, mostKilobytesEach, mostPercent }: CrowdRow): Row {
  return {
    name,
    what,
    against: 'the process with one',
    goals: [
      { of: 'memory of each', at: 'most', bound: mostKilobytesEach, unit: 'KB' },
      { of: 'processor, of one core', at: 'most', bound: mostPercent, unit: '%' },
    ],
    measure: async ({ effort }) => {
      const rounds: { many: Cost; one: Cost }[] = []
      for (let round = 0; round < effort.twinRounds; round++) {
        rounds.push({ many: await costOf(kind, twins, effort), one: await costOf(kind, 1, effort) })
      }
      return readingsOf(rounds, twins)
    },
  }
}

async function costOf(kind: CrowdRow['kind'], twins: number, { twinSettleMs, twinWatchMs }: Effort): Promise<Cost> {
  const args = [PROGRAM, kind, String(twins), String(twinSettleMs), String(twinWatchMs)]
  const { code, stdout, stderr } = await runProgram(process.execPath, args)
  if (code !== 0) throw new Error(`${twins} twins failed: ${stderr}`)
  return JSON.parse(stdout) as Cost
}

function readingsOf(rounds: readonly { many: Cost; one: Cost }[], twins: number): Reading[] {
  const megabytes = (costs: readonly Cost[]): string =>
    `${(median(costs.map(({ residentBytes }) => residentBytes)) / BYTES_PER_MB).toFixed(1)} MB`
  const percent = (costs: readonly Cost[]): string => `${median(costs.map(({ corePercent }) => corePercent)).toFixed(2)} %`
  const many = rounds.map((round) => round.many)
  const one = rounds.map((round) => round.one)
  const bytesEach = rounds.map((round) => (round.many.residentBytes - round.one.residentBytes) / (twins - 1))
  return [
    { measured: megabytes(many), comparison: megabytes(one), figure: median(bytesEach) / BYTES_PER_KB },
    {
      measured: percent(many),
      comparison: percent(one),
      figure: median(rounds.map((round) => round.many.corePercent - round.one.corePercent)),
    },
  ]
}
