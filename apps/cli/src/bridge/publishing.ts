import { hostname } from 'node:os'
import { type DeviceSource, type ModuleType, type Payload, Publisher, plainPayload, sparkplugPayload } from '@slotwire/bridge'
import { type Clock, formatVersion, type Log, SLOTWIRE_VERSION, systemRandom, systemWallTime } from '@slotwire/core'
import * as contracts from '@slotwire/modules/contracts'
import * as controls from '@slotwire/modules/controls'
import * as readings from '@slotwire/modules/readings'
import { connectMqtt } from './mqtt-connection.ts'
import { brokerAccess } from './mqtt-options.ts'
import type { PublishOptions } from './publish-options.ts'

const controlsOf = new Map<string, ModuleType['controls']>(Object.entries(controls))

/** What each module type declares, by service. */
const moduleTypes: Readonly<Record<string, ModuleType>> = Object.fromEntries(
  Object.entries(contracts).map(([name, contract]) => [
    contract.service,
    { contract, readings: readings[name as keyof typeof readings], controls: controlsOf.get(name) ?? [] },
  ]),
)

export interface Publishing {
  /** The broker, for messages. */
  readonly shown: string
  /** Publishes a device until it is closed. `url`: the address that others use for it. */
  readonly publish: (source: DeviceSource, url?: string) => Publisher
}

/** Prepares to publish devices. Throws `UsageError` for unusable files. */
export async function publishing(
  options: PublishOptions,
  { clock, log, environment }: { readonly clock: Clock; readonly log: Log; readonly environment: NodeJS.ProcessEnv },
): Promise<Publishing> {
  const access = brokerAccess(options, environment)
  const payload = await payloadOf(options, clock, log)
  const { every: everyMs, deadBand, pause: pauseMs, commands, takeOver } = options
  const shared = {
    types: moduleTypes,
    watch: { everyMs, deadBand, pauseMs },
    commands,
    takeOver,
    connectBroker: connectMqtt({ access, clock, log }),
    host: hostname(),
    clock,
    wallTime: systemWallTime,
    random: systemRandom,
    log,
  }
  return {
    shown: access.shown,
    publish: (source, url) => new Publisher({ ...shared, source, payload: payload(), ...(url === undefined ? {} : { url }) }),
  }
}

/** Makes the payload of each device. The codec of Sparkplug is loaded only for it. */
async function payloadOf(options: PublishOptions, clock: Clock, log: Log): Promise<() => Payload> {
  const { payload, sparkplugGroup: group, homeAssistant: style, discovery: prefix } = options
  if (payload === 'sparkplug') {
    const codec = (await import('./sparkplug-codec.ts')).sparkplugCodec()
    return () => sparkplugPayload({ codec, group, clock, wallTime: systemWallTime, log })
  }
  const version = formatVersion(SLOTWIRE_VERSION)
  const homeAssistant = style === undefined ? undefined : { prefix, style, version }
  return () => plainPayload({ homeAssistant, log })
}
