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
  what: 'the npm package: `slotwire serve` to the first answered `GET input/values`, and `slotwire get 5/1`',
  against: '`node -e 0`',
  goals: [
    { of: 'serve', at: 'most', bound: 200, unit: 'ms' },
    { of: 'get', at: 'most', bound: 250, unit: 'ms' },
  ],
  measure: ({ effort, clock }) =>
    withInstalledPackage(async ({ program }) => {
      const nothing = () => timeOf(['-e', '0'], clock)
      const starts = await inTurn(effort.starts, () => timeToFirstAnswer(program, clock), nothing)
      const server = await startSlotwire(program)
      try {
        const gets = await inTurn(effort.starts, () => timeOf([program, 'get', '5/1', '--url', server.url], clock), nothing)
        const text = (ms: number): string => `${ms.toFixed(0)} ms`
        return [starts, gets].map((rounds) => readingOf(rounds, { value: (ms) => ms, text, figure: (ours, bare) => ours - bare }))
      } finally {
        await server.stop()
      }
    }),
}

async function timeOf(words: readonly string[], clock: Clock): Promise<number> {
  const started = clock.now()
  const { code } = await runProgram(process.execPath, words)
  if (code !== 0) throw new Error(`node ${words.join(' ')} failed: ${code}`)
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
