import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Clock } from '@slotwire/core'
import { ask } from '../answer.ts'
import type { Row } from '../row.ts'
import { runProgram } from '../run-program.ts'
import { endChild, serveArguments } from '../server-process.ts'
import { median } from '../statistics.ts'

const PATH = '/api/io/1.0/5/input/values'
const POLL_MS = 1
const START_DEADLINE_MS = 30_000

/** From the start of the process to the first reading of a pin over HTTP. */
export const startUp: Row = {
  name: 'start-up',
  what: '`slotwire serve` to the first answered `GET input/values`',
  against: '`node -e 0`',
  goals: [{ of: 'time', at: 'most', bound: 400, unit: 'ms' }],
  measure: async ({ effort, clock }) => {
    const rounds: { serve: number; nothing: number }[] = []
    for (let round = 0; round < effort.starts; round++) {
      rounds.push({ serve: await timeToFirstAnswer(clock), nothing: await timeOfNothing(clock) })
    }
    return [
      {
        measured: `${median(rounds.map(({ serve }) => serve)).toFixed(0)} ms`,
        comparison: `${median(rounds.map(({ nothing }) => nothing)).toFixed(0)} ms`,
        figure: median(rounds.map(({ serve, nothing }) => serve - nothing)),
      },
    ]
  },
}

async function timeOfNothing(clock: Clock): Promise<number> {
  const started = clock.now()
  const { code } = await runProgram(process.execPath, ['-e', '0'])
  if (code !== 0) throw new Error(`node -e 0 failed: ${code}`)
  return clock.now() - started
}

async function timeToFirstAnswer(clock: Clock): Promise<number> {
  const stateFolder = await mkdtemp(join(tmpdir(), 'slotwire-benchmark-'))
  const port = await freePort()
  const started = clock.now()
  const child = spawn(process.execPath, serveArguments(stateFolder, port), { stdio: 'ignore' })
  try {
    while (!(await isAnswered(`http://127.0.0.1:${port}${PATH}`))) {
      if (child.exitCode !== null) throw new Error(`slotwire serve ended with ${child.exitCode}`)
      if (clock.now() - started > START_DEADLINE_MS) throw new Error('slotwire serve does not answer')
      await clock.sleep(POLL_MS)
    }
    return clock.now() - started
  } finally {
    await endChild(child)
    await rm(stateFolder, { recursive: true })
  }
}

/** Nobody listening yet, and answers like "come again", are no answers. */
async function isAnswered(url: string): Promise<boolean> {
  try {
    return (await ask(url)).status === 200
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ECONNREFUSED' || error.code === 'ECONNRESET')) return false
    throw error
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen({ host: '127.0.0.1', port: 0 }, () => {
      const { port } = server.address() as AddressInfo
      server.close(() => resolve(port))
    })
  })
}
