import { systemRandom } from '@slotwire/core'
import { describeSoak } from './soak.testkit.ts'

const MOST_SEEDS = 1_000_000
const { SLOTWIRE_SOAK_HOURS: hours = '6', SLOTWIRE_SOAK_SEED: seed = String(Math.floor(systemRandom() * MOST_SEEDS)) } =
  process.env

describeSoak(Number(hours), Number(seed), (seen) => process.stdout.write(`seed ${seed}: ${JSON.stringify(seen)}\n`))
