import { fileURLToPath } from 'node:url'
import { runProgram } from '../program.ts'
import type { Reading, Row } from '../row.ts'
import { inTurn, median } from '../statistics.ts'

const PROGRAM = fileURLToPath(new URL('../programs/twin-hour.js', import.meta.url))
const HOUR_SECONDS = 3600

/** Speed of a twin compared with real time, without and with a driver. */
export const twinHour: Row = {
  name: 'twin-hour',
  what: 'one hour of twin time, default device, a pin changing every second',
  against: 'real time',
  goals: [
    { of: 'speed without driver', at: 'least', bound: 3600, unit: '×' },
    { of: 'speed with driver and service', at: 'least', bound: 1000, unit: '×' },
  ],
  measure: async ({ effort }) => {
    const rounds = await inTurn(
      effort.twinRounds,
      () => timeOfHour('alone'),
      () => timeOfHour('driven'),
    )
    return [readingOf(rounds.map(({ ours }) => ours)), readingOf(rounds.map(({ other }) => other))]
  },
}

async function timeOfHour(kind: 'alone' | 'driven'): Promise<number> {
  const { code, stdout, stderr } = await runProgram(process.execPath, [PROGRAM, kind])
  if (code !== 0) throw new Error(`the twin's hour failed: ${stderr}`)
  return Number(stdout)
}

function readingOf(seconds: readonly number[]): Reading {
  const middle = median(seconds)
  return { measured: `${middle.toFixed(2)} s`, comparison: `${HOUR_SECONDS} s`, figure: HOUR_SECONDS / middle }
}
