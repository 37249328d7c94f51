import { COMMAND_MODES, DISCOVERY_STYLES, type Publisher } from '@slotwire/bridge'
import { baseUrl, ClientError } from '@slotwire/client'
import { formed, wordOf } from '@slotwire/contract'
import { messageOf, systemRandom } from '@slotwire/core'
import { topicLevel } from '@slotwire/network'
import { Command, InvalidArgumentError, Option } from 'commander'
import { discover } from '../discover.ts'
import { Contexts, type SavedContext } from '../remote/contexts.ts'
import { duration, share } from '../remote/values.ts'
import { addLogOptions, type LogOptions, pathOf } from '../run/option-values.ts'
import type { ServerContext } from '../run/until-stopped.ts'
import type { RunningServer } from '../serve/serve-device.ts'
import { type CommandContext, examples } from '../terminal/command-context.ts'
import { textOf } from '../terminal/files.ts'
import { UsageError } from '../terminal/usage-error.ts'
import { word, words } from '../terminal/word.ts'
import { announcedContexts, deviceSource, urlsOf } from './device-sources.ts'
import { addBrokerOptions, PAYLOADS, PUBLISH_DEFAULTS, type PublishOptions } from './mqtt-options.ts'

type Times = 'every' | 'deadBand' | 'pause'

/** The options of `slotwire bridge`, checked. */
export interface BridgeCommandOptions extends Omit<PublishOptions, Times>, Partial<Pick<PublishOptions, Times>>, LogOptions {
  readonly url: readonly string[]
  readonly urlsFile?: string
  readonly context: readonly string[]
  readonly discover: boolean
  readonly tokenFile?: string
  readonly ca?: string
}

const MIN_EVERY_MS = 50
const TOPIC_PREFIX = wordOf(
  formed('^(?=.{1,128}$)[\\w.-]+(/[\\w.-]+)*$', '1…128 letters, digits, dots, dashes or underscores, and slashes between them'),
)

/** The `bridge` command with its options. */
export function bridgeCommand(run: (options: BridgeCommandOptions) => Promise<void>): Command {
  const command = new Command('bridge')
    .description('Publish devices to an MQTT broker')
    .option('--url <url>', 'Publish this device; repeatable', collectUrl, [])
    .option('--urls-file <file>', 'Publish the devices in this file', pathOf('file'))
    .option('--context <name>', 'Publish a saved context; repeatable', words(String), [])
    .option('--discover', 'Publish devices that announce themselves', false)
    .option('--token-file <file>', 'Send devices the token in this file', pathOf('file'))
    .option('--ca <file>', 'Trust only this authority of devices (PEM)', pathOf('file'))
  const { commands, payload, sparkplugGroup, discovery } = PUBLISH_DEFAULTS
  return addLogOptions(addBrokerOptions(command))
    .option('--every <time>', 'Look at pins this often (default: 1s)', duration('every', MIN_EVERY_MS))
    .option('--dead-band <part>', 'Leave out smaller changes, as 1%', share('dead-band'))
    .option('--pause <time>', 'Shortest time between two messages of a value', duration('pause'))
    .addOption(new Option('--commands <which>', 'Take commands').choices(COMMAND_MODES).default(commands))
    .addOption(new Option('--payload <format>', 'Payload format').choices(PAYLOADS).default(payload))
    .option('--sparkplug-group <id>', 'Group of the edge nodes', word('sparkplug-group', topicLevel), sparkplugGroup)
    .addOption(new Option('--home-assistant [how]', 'Tell Home Assistant').choices(DISCOVERY_STYLES).preset(DISCOVERY_STYLES[0]))
    .option('--discovery <topic>', 'Prefix of discovery', word('discovery', TOPIC_PREFIX), discovery)
    .option('--take-over', 'Publish devices that are published from elsewhere', false)
    .addHelpText(
      'after',
      examples(
        'bridge --mqtt mqtt://127.0.0.1 --url http://127.0.0.1:8080',
        'bridge --mqtt mqtts://broker.local --urls-file devices.txt',
      ),
    )
    .action((options: BridgeCommandOptions) => run(options))
}

/** Parser for addresses of devices: collects them. */
function collectUrl(text: string, before: readonly string[]): readonly string[] {
  try {
    return [...before, baseUrl(text).href]
  } catch (error) {
    if (error instanceof ClientError) throw new InvalidArgumentError(`${error.message}.`)
    throw error
  }
}

/** The networks are searched again after so long, in milliseconds. */
const SEARCH_EVERY_MS = 60_000
/** Devices begin within so many milliseconds for each of them, at most within `MAX_SPREAD_MS`: all at once would be a storm. */
const SPREAD_PER_DEVICE_MS = 10
const MAX_SPREAD_MS = 5000

interface ListedContext extends SavedContext {
  /** Where its token is read from, for each connection. A saved context has a token of its own. */
  readonly tokenFile?: string | undefined
}

/** Publishes devices until it is closed. Throws `UsageError`. */
export async function serveBridge(
  options: BridgeCommandOptions,
  { print, clock, log, stopping }: ServerContext,
  program: CommandContext,
): Promise<RunningServer> {
  if (options.payload === 'sparkplug' && options.homeAssistant !== undefined)
    throw new UsageError('--home-assistant needs plain topics: leave out --payload sparkplug')
  const { publishing } = await import('./publishing.ts')
  const { shown, publish } = await publishing(
    { ...PUBLISH_DEFAULTS, ...options },
    { clock, log, environment: program.environment },
  )
  const savedContexts = new Map<string, SavedContext>()
  /** By everything that makes a difference: a new token is a new connection. */
  const publishers = new Map<string, Publisher>()
  const access = (): Pick<SavedContext, 'token' | 'ca'> => ({
    token: options.tokenFile === undefined ? undefined : textOf(options.tokenFile, 'token'),
    ca: options.ca === undefined ? undefined : textOf(options.ca, 'authority'),
  })
  const contexts = (): readonly ListedContext[] => {
    const { token, ca } = access()
    const listed = options.urlsFile === undefined ? [] : urlsOf(options.urlsFile)
    const { tokenFile } = options
    const urls = [...options.url, ...listed].map((url) => ({ url, token, ca, tokenFile }))
    const saved = options.context.map((context) => new Contexts(program).find(context))
    const announced = [...savedContexts.values()].map((each) => ({
      ...each,
      ca,
      ...(each.token === undefined ? {} : { token, tokenFile }),
    }))
    // The first with an address counts: what the user named, before what announced itself.
    const all = [...urls, ...saved, ...announced]
    return all.filter(({ url }, index) => all.findIndex((each) => each.url === url) === index)
  }
  /** Ends what is not listed any more, then begins what is new. */
  const follow = async (): Promise<void> => {
    const listed = new Map(contexts().map((context) => [JSON.stringify(context), context]))
    const gone = [...publishers].filter(([key]) => !listed.has(key))
    for (const [key] of gone) publishers.delete(key)
    await Promise.all(gone.map(([, publisher]) => publisher.close()))
    const added = [...listed].filter(([key]) => !publishers.has(key))
    const spreadMs = added.length === 1 ? 0 : Math.min(MAX_SPREAD_MS, added.length * SPREAD_PER_DEVICE_MS)
    for (const [key, context] of added) {
      const { tokenFile } = context
      const token = (): string | undefined => (tokenFile === undefined ? context.token : textOf(tokenFile, 'token'))
      const delayMs = systemRandom() * spreadMs
      publishers.set(key, publish(deviceSource({ ...context, token, delayMs }, clock)))
    }
  }
  if (contexts().length === 0 && !options.discover)
    throw new UsageError('no device: name them with --url, --urls-file, --context or --discover')
  await follow()
  const search = async (): Promise<void> => {
    while (!stopping.aborted) {
      try {
        const devices = await discover({ ...access(), signal: stopping })
        for (const context of announcedContexts(devices, access())) savedContexts.set(context.url, context)
        await follow()
      } catch (error) {
        if (!stopping.aborted) log.warn({ reason: messageOf(error) }, 'the networks cannot be searched for devices now')
      }
      await clock.sleep(SEARCH_EVERY_MS, stopping).catch(() => undefined)
    }
  }
  if (options.discover) void search()
  print(`Devices are published to ${shown}\n`)
  return {
    close: async () => {
      await Promise.all([...publishers.values()].map((publisher) => publisher.close()))
    },
    reload: follow,
    stuck: () => undefined,
    status: () => {
      const online = [...publishers.values()].filter(({ state }) => state === 'online').length
      return `${online} of ${publishers.size} devices on the broker ${shown}`
    },
  }
}
