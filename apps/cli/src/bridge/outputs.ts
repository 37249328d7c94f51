import { type Broker, type OpenBroker, type Output, type OutputContext, PlainOutput } from '@slotwire/bridge'
import type { Log } from '@slotwire/core'
import type { BridgeCommandOptions } from './bridge-options.ts'

/** What devices look like on the broker. `openBroker` opens another connection, for an output that needs a will of its own. */
export function outputsOf(
  _options: BridgeCommandOptions,
  { name }: OutputContext,
  { broker, log }: { readonly broker: Broker; readonly openBroker: OpenBroker; readonly log: Log },
): readonly Output[] {
  return [new PlainOutput({ broker, name, log })]
}
