import { seededRandom, systemRandom } from '@slotwire/core'
import { expect, it } from 'vitest'
import { killAndCheck } from './history-killed.testkit.ts'

const MAX_SEED = 1_000_000
const { SLOTWIRE_KILLS: kills = '1000', SLOTWIRE_KILLS_SEED: seed = String(Math.floor(systemRandom() * MAX_SEED)) } = process.env
/** Processes at the same time: each has a history of its own. */
const LANES = 10
/** Time limit for a start and a kill, on a busy machine. */
const MAX_CYCLE_MS = 20_000

it(
  `has a whole and ordered history with all but the last second after each of ${kills} kills (seed ${seed})`,
  async () => {
    const each = Math.ceil(Number(kills) / LANES)
    const lanes = Array.from({ length: LANES }, (_, lane) => killAndCheck(each, seededRandom(Number(seed) + lane)))
    const checked = (await Promise.all(lanes)).reduce((sum, count) => sum + count)
    process.stdout.write(`${checked} records were checked\n`)
    expect(checked).toBeGreaterThan(Number(kills))
  },
  (Number(kills) + 1) * MAX_CYCLE_MS,
)
