import { hostname } from 'node:os'
import {
  type DeviceSource,
  type ModuleType,
  type PayloadFormat,
  Publisher,
  plainPayload,
  type SparkplugCodec,
  sparkplugPayload,
} from '@slotwire/bridge'
import { type Clock, formatVersion, type Log, messageOf, SLOTWIRE_VERSION, systemRandom, systemWallTime } from '@slotwire/core'
import * as contracts from '@slotwire/modules/contracts'
import * as controls from '@slotwire/modules/controls'
import * as readings from '@slotwire/modules/readings'
import type { Settings } from '@slotwire/network'
import type { UPayload } from 'sparkplug-payload/lib/sparkplugbpayload.js'
import { deviceSource } from './device-sources.ts'
import { connectMqtt } from './mqtt-connection.ts'
import { brokerAccess, PUBLISH_DEFAULTS, type PublishOptions } from './mqtt-options.ts'

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
async function payloadOf(options: PublishOptions, clock: Clock, log: Log): Promise<() => PayloadFormat> {
  const { payload, sparkplugGroup: group, homeAssistant: style, discovery: prefix } = options
  if (payload === 'sparkplug') {
    const codec = await sparkplugCodec()
    return () => sparkplugPayload({ codec, group, clock, wallTime: systemWallTime, log })
  }
  const version = formatVersion(SLOTWIRE_VERSION)
  const homeAssistant = style === undefined ? undefined : { prefix, style, version }
  return () => plainPayload({ homeAssistant, log })
}

export interface OwnDevice {
  readonly machineId: string
  /** Its loopback door. */
  readonly url: string
  /** The address that others use. */
  readonly shownUrl: string
  readonly takeOver: boolean
  readonly clock: Clock
  readonly log: Log
}

/** Publishes this device as its settings say, until it is closed. With unusable settings it is served all the same: undefined then. */
export async function publishOwnDevice(settings: Settings, own: OwnDevice): Promise<Publisher | undefined> {
  const { machineId, url, shownUrl, takeOver, clock, log } = own
  const { mqttBroker: mqtt } = settings
  if (mqtt === undefined) return undefined
  try {
    const { publish } = await publishing(
      {
        ...PUBLISH_DEFAULTS,
        ...settings,
        mqtt,
        every: settings.mqttEveryMs,
        commands: settings.mqttCommands,
        payload: settings.mqttPayload,
        sparkplugGroup: settings.mqttGroup,
        homeAssistant: settings.mqttHomeAssistant,
        discovery: settings.mqttDiscovery,
        takeOver,
      },
      { clock, log, environment: process.env },
    )
    return publish({ ...deviceSource({ url }, clock), identify: async () => machineId }, shownUrl)
  } catch (error) {
    log.error({ reason: messageOf(error) }, 'this device is not published: correct the mqtt settings, and start again')
    return undefined
  }
}

/** The encoding `spBv1.0`. */
async function sparkplugCodec(): Promise<SparkplugCodec> {
  const { default: sparkplug } = await import('sparkplug-payload')
  const codec = sparkplug.get('spBv1.0')
  if (codec === null) throw new Error('the package sparkplug-payload does not have spBv1.0')
  return {
    encode: (payload) => codec.encodePayload(payload as UPayload),
    decode: (bytes) => codec.decodePayload(bytes),
  }
}
