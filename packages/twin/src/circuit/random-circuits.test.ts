import { describeRandomCircuits } from './random-circuits.testkit.ts'

describeRandomCircuits(10, 1)
