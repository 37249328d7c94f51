import { systemRandom } from '@slotwire/core'
import { describeSoak } from './soak.testkit.ts'

const MAX_SEED = 1_000_000
const { SLOTWIRE_SOAK_HOURS: hours = '6', SLOTWIRE_SOAK_SEED: seed = String(Math.floor(systemRandom() * MAX_SEED)) } = process.env

describeSoak(Number(hours), Number(seed), (seen) => process.stdout.write(`seed ${seed}: ${JSON.stringify(seen)}\n`))
