import { Bridge, type DeviceSource, type ModuleType, type OpenBroker } from '@slotwire/bridge'
import { messageOf, systemRandom, systemWallTime } from '@slotwire/core'
import * as contracts from '@slotwire/modules/contracts'
import * as controls from '@slotwire/modules/controls'
import * as readings from '@slotwire/modules/readings'
import { discover } from '../discover.ts'
import { Contexts, type SavedContext } from '../remote/contexts.ts'
import { textOf } from '../remote/with-device.ts'
import type { ServerContext } from '../run/until-stopped.ts'
import type { Served } from '../serve/serve-device.ts'
import type { CommandContext } from '../terminal/command-context.ts'
import { UsageError } from '../terminal/usage-error.ts'
import type { BridgeCommandOptions } from './bridge-options.ts'
import { announcedContexts, deviceSource, urlsOf } from './device-sources.ts'
import { MqttBroker } from './mqtt-broker.ts'
import { brokerAccess, mqttPackage } from './mqtt-options.ts'
import { outputsOf } from './outputs.ts'
import { codecOf } from './sparkplug-codec.ts'

/** The networks are searched again after so long, in milliseconds. */
const SEARCH_EVERY_MS = 60_000
/** How often devices look at their pins by default, in milliseconds. */
const EVERY_MS = 1000

const controlsOf = new Map<string, ModuleType['controls']>(Object.entries(controls))

/** What each module type declares, by service. */
const moduleTypes: Readonly<Record<string, ModuleType>> = Object.fromEntries(
  Object.entries(contracts).map(([name, contract]) => [
    contract.service,
    { contract, readings: readings[name as keyof typeof readings], controls: controlsOf.get(name) ?? [] },
  ]),
)

/** Runs a bridge until it is closed. Throws `UsageError`. */
export async function serveBridge(
  options: BridgeCommandOptions,
  { print, clock, log, stopping }: ServerContext,
  program: CommandContext,
): Promise<Served> {
  const { name, fleet, every: everyMs = EVERY_MS, deadBand = 0, pause: pauseMs = 0, commands } = options
  const access = brokerAccess(options, program.environment)
  const mqtt = await mqttPackage()
  const codec = await codecOf(options)
  const openBroker: OpenBroker = (role) =>
    new MqttBroker({ mqtt, access, name: `${fleet}-${name}`, role, clock, random: systemRandom, log })
  const found = new Map<string, SavedContext>()
  const token = options.tokenFile === undefined ? undefined : textOf(options.tokenFile, 'token')
  const ca = options.ca === undefined ? undefined : textOf(options.ca, 'authority')
  const sources = (): readonly DeviceSource[] => {
    const listed = options.urlsFile === undefined ? [] : urlsOf(options.urlsFile)
    const urls = [...new Set([...options.url, ...listed])].map((url) => ({ url, token, ca }))
    const contexts = options.context.map((context) => new Contexts(program).find(context))
    // The first with an address counts: what the user named, before what announced itself.
    return [...urls, ...contexts, ...found.values()].map((each) => deviceSource(each, clock))
  }
  const first = sources()
  if (first.length === 0 && !options.discover)
    throw new UsageError('no device: name them with --url, --urls-file, --context or --discover')
  const bridge = new Bridge({
    name,
    fleet,
    sources: first,
    types: moduleTypes,
    watch: { everyMs, deadBand, pauseMs },
    commands,
    openBroker,
    outputs: (context, broker) => outputsOf(options, context, { broker, openBroker, codec, clock, log }),
    clock,
    wallTime: systemWallTime,
    random: systemRandom,
    log,
  })
  const search = async (): Promise<void> => {
    while (!stopping.aborted) {
      try {
        const devices = await discover({ token, ca, signal: stopping })
        for (const context of announcedContexts(devices, { token, ca })) found.set(context.url, context)
        bridge.setSources(sources())
      } catch (error) {
        if (!stopping.aborted) log.warn({ reason: messageOf(error) }, 'the networks cannot be searched for devices now')
      }
      await clock.sleep(SEARCH_EVERY_MS, stopping).catch(() => undefined)
    }
  }
  if (options.discover) void search()
  print(`Bridge ${name} of the fleet ${fleet} connects devices to ${access.shown}\n`)
  return {
    close: () => bridge.close(),
    reload: async () => bridge.setSources(sources()),
    stuck: () => undefined,
    status: () => {
      const { devices, available, known, isConnected } = bridge.status
      return `${available} of ${devices} own devices available, ${known} known, broker ${isConnected ? 'connected' : 'away'}`
    },
  }
}
