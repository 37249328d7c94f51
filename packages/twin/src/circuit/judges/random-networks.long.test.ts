import { describeRandomNetworks } from './random-networks.testkit.ts'

describeRandomNetworks(1000, 1)
