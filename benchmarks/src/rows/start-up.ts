import type { Clock } from '@slotwire/core'
import { askOk } from '../answer.ts'
import { withInstalledPackage } from '../installed-package.ts'
import { runProgram } from '../program.ts'
import type { Row } from '../row.ts'
import { startSlotwire } from '../server-process.ts'
import { inTurn, readingOf } from '../statistics.ts'

const PATH = '/api/io/1.0/5/input/values'

/** Time from the start of the process to the first reading of a pin over HTTP. */
export const startUp: Row = {
  name: 'start-up',
  what: '`slotwire serve` of the npm package to the first answered `GET input/values`',
  against: '`node -e 0`',
  goals: [{ of: 'time', at: 'most', bound: 200, unit: 'ms' }],
  measure: async ({ effort, clock }) => {
    const rounds = await withInstalledPackage(({ program }) =>
      inTurn(
        effort.starts,
        () => timeToFirstAnswer(program, clock),
        () => timeOfNothing(clock),
      ),
    )
    const text = (ms: number): string => `${ms.toFixed(0)} ms`
    return [readingOf(rounds, { value: (ms) => ms, text, figure: (ours, nothing) => ours - nothing })]
  },
}

async function timeOfNothing(clock: Clock): Promise<number> {
  const started = clock.now()
  const { code } = await runProgram(process.execPath, ['-e', '0'])
  if (code !== 0) throw new Error(`node -e 0 failed: ${code}`)
  return clock.now() - started
}

async function timeToFirstAnswer(program: string, clock: Clock): Promise<number> {
  const started = clock.now()
  const server = await startSlotwire(program)
  try {
    await askOk(server.url + PATH)
    return clock.now() - started
  } finally {
    await server.stop()
  }
}
