import { describeRandomCircuits } from './random-circuits.testkit.ts'

describeRandomCircuits(5, 1)
