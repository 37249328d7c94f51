import {
  type Broker,
  HomeAssistantOutput,
  type OpenBroker,
  type Output,
  type OutputContext,
  PlainOutput,
  presenceTopic,
} from '@slotwire/bridge'
import { formatVersion, type Log, SLOTWIRE_VERSION } from '@slotwire/core'
import type { BridgeCommandOptions } from './bridge-options.ts'

/** What devices look like on the broker. `openBroker` opens another connection, for an output that needs a will of its own. */
export function outputsOf(
  { fleet, homeAssistant: style, homeAssistantPrefix: prefix }: BridgeCommandOptions,
  context: OutputContext,
  { broker, log }: { readonly broker: Broker; readonly openBroker: OpenBroker; readonly log: Log },
): readonly Output[] {
  const { name } = context
  const presence = presenceTopic(fleet, name)
  const version = formatVersion(SLOTWIRE_VERSION)
  return [
    new PlainOutput({ broker, name, log }),
    ...(style === undefined ? [] : [new HomeAssistantOutput(broker, context, { prefix, style, presence, version })]),
  ]
}
