import { describeRandomNetworks } from './describe-random-networks.testkit.ts'

describeRandomNetworks(16, 1)
