import type { Publisher } from '@slotwire/bridge'
import { messageOf, systemRandom } from '@slotwire/core'
import { discover } from '../discover.ts'
import { Contexts, type SavedContext } from '../remote/contexts.ts'
import { textOf } from '../remote/with-device.ts'
import type { ServerContext } from '../run/until-stopped.ts'
import type { RunningServer } from '../serve/serve-device.ts'
import type { CommandContext } from '../terminal/command-context.ts'
import { UsageError } from '../terminal/usage-error.ts'
import type { BridgeCommandOptions } from './bridge-options.ts'
import { announcedContexts, deviceSource, urlsOf } from './device-sources.ts'
import { PUBLISH_DEFAULTS } from './mqtt-options.ts'

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
