import { describeRandomNetworks } from './random-networks.testkit.ts'

describeRandomNetworks(16, 1)
