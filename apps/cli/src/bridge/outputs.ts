import {
  type Broker,
  HomeAssistantOutput,
  type OpenBroker,
  type Output,
  type OutputContext,
  PlainOutput,
  presenceTopic,
  type SparkplugCodec,
  SparkplugOutput,
} from '@slotwire/bridge'
import { type Clock, formatVersion, type Log, SLOTWIRE_VERSION, systemWallTime } from '@slotwire/core'
import type { BridgeCommandOptions } from './bridge-options.ts'

/** What devices look like on the broker. `openBroker` opens another connection, for an output that needs a will of its own. */
export function outputsOf(
  { fleet, sparkplugGroup: group, homeAssistant: style, discovery: prefix }: BridgeCommandOptions,
  context: OutputContext,
  { broker, openBroker, codec, clock, log }: OutputNeeds,
): readonly Output[] {
  if (codec !== undefined)
    return [new SparkplugOutput({ context, openBroker, codec, group, clock, wallTime: systemWallTime, log })]
  const { name } = context
  const presence = presenceTopic(fleet, name)
  const version = formatVersion(SLOTWIRE_VERSION)
  return [
    new PlainOutput({ broker, name, log }),
    ...(style === undefined ? [] : [new HomeAssistantOutput(broker, context, { prefix, style, presence, version })]),
  ]
}

interface OutputNeeds {
  readonly broker: Broker
  readonly openBroker: OpenBroker
  /** With it, devices appear as Sparkplug B. */
  readonly codec: SparkplugCodec | undefined
  readonly clock: Clock
  readonly log: Log
}
