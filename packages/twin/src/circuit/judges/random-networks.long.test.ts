import { describeRandomNetworks } from './describe-random-networks.testkit.ts'

describeRandomNetworks(1000, 1)
