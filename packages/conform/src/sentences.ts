import type { Sentence } from './check.ts'
import { benchSentences } from './checks/bench.ts'
import { bmcSentences } from './checks/bmc.ts'
import { discoverySentences } from './checks/discovery.ts'
import { endpointSentences } from './checks/endpoints.ts'
import { genericSentences } from './checks/generic.ts'
import { ioSentences } from './checks/io.ts'
import { powerSentences } from './checks/power.ts'

/** Every normative sentence of the specification, with its checks, or with why it has none. The order is that of a run. */
export const sentences: readonly Sentence[] = [
  ...genericSentences,
  ...discoverySentences,
  ...ioSentences,
  ...bmcSentences,
  ...powerSentences,
  ...benchSentences,
  // Last: they leave the USB bootloader armed.
  ...endpointSentences,
]
