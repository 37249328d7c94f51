import { describeRandomNetworks } from './describe-random-networks.testkit.ts'

describeRandomNetworks(50, 1)
