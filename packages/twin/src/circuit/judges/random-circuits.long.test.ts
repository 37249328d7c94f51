import { systemRandom } from '@slotwire/core'
import { describeRandomCircuits } from './random-circuits.testkit.ts'

const MAX_SEED = 1_000_000
const { SLOTWIRE_CIRCUITS: count = '1000', SLOTWIRE_CIRCUITS_SEED: first = String(Math.floor(systemRandom() * MAX_SEED)) } =
  process.env

describeRandomCircuits(Number(count), Number(first))
