import { describeSoak } from './soak.testkit.ts'

describeSoak(0.05, 1)
