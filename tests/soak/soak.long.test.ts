import { randomInt } from 'node:crypto'
import { describeSoak } from './soak.testkit.ts'

const { SLOTWIRE_SOAK_HOURS: hours = '6', SLOTWIRE_SOAK_SEED: seed = String(randomInt(1_000_000)) } = process.env

describeSoak(Number(hours), Number(seed), (seen) => process.stdout.write(`seed ${seed}: ${JSON.stringify(seen)}\n`))
