import { formatVersion, type Log, nextTurn } from '@slotwire/core'
import { SERVICE_VERSION } from '@slotwire/device/names'
import { listen } from '@slotwire/edge'
import { DEFAULT_SETTINGS } from '@slotwire/gateway'
import { VolatileMemory } from '@slotwire/twin'
import Table from 'cli-table3'
import { refusedPort } from '../run/listen.ts'
import { HIGHEST_PORT } from '../run/option-values.ts'
import type { ServerContext } from '../run/until-stopped.ts'
import { hardwareOf, refuse } from '../serve/hardware.ts'
import type { Served, ServedDevice } from '../serve/serve-device.ts'
import type { ServeOptions } from '../serve/serve-options.ts'
import { createTwinDevice, followedClock } from '../serve/twin-device.ts'
import { type Colors as AllColors, colors as ownColors } from '../terminal/colors.ts'
import { UsageError } from '../terminal/usage-error.ts'

const LOOPBACK = '127.0.0.1'
/** The seed of the first; the others have those that follow. The first is the device of `slotwire serve`. */
const FIRST_SEED = 1

/**
 * Serves as many twins as told, each on a port of its own, and prints where when all of them answer. Throws `UsageError`. Told to stop
 * meanwhile it begins no further one.
 */
export async function serveTwins(
  options: ServeOptions & { readonly twins: number },
  { print, clock: realTime, log, stopping }: ServerContext,
): Promise<Served> {
  hardwareOf(options)
  refuseOptions(options)
  const ports = portsOf(options)
  const followed = followedClock()
  const memory = (): VolatileMemory => new VolatileMemory()
  const { services, powerMode, bus = 'instant', bench } = options
  const twins: ServedDevice[] = []
  const close = (): Promise<void> => closeAll(twins)
  stopping.addEventListener('abort', () => twins.forEach((twin) => twin.release()), { once: true })
  const running: Served = {
    close,
    // They have no settings.
    reload: async () => undefined,
    stuck: () => twins.map((twin) => twin.stuck()).find((stuck) => stuck !== undefined),
    status: () => `${twins.length} twins`,
  }
  try {
    const served: AnnouncedTwins['twins'][number][] = []
    for (const [index, port] of ports.entries()) {
      if (stopping.aborted) return running
      const seed = FIRST_SEED + index
      const own = { seed, log: logOf(index + 1, log) }
      const twin = await createTwinDevice({ services, powerMode, bus, bench, followed, realTime, memory, ...own })
      twins.push(twin)
      const { address } = await listen(twin.service, { host: LOOPBACK, port }).catch((error: unknown) => {
        throw refusedPort(error, port)
      })
      served.push({ twin: index + 1, url: `http://${LOOPBACK}:${address.port}`, seed })
    }
    log.info({ twins: twins.length }, 'all doors are open: the twins start')
    for (const twin of twins) {
      await nextTurn()
      if (stopping.aborted) return running
      await twin.start()
    }
    const announcement = { version: formatVersion(SERVICE_VERSION), services, twins: served }
    print(options.json ? `${JSON.stringify(announcement)}\n` : formatTwins(announcement))
    return running
  } catch (error) {
    await close()
    throw error
  }
}

/** All at once: what one waits for costs the others no time. Waits for all, whatever comes of one; rejects with the first failure. */
async function closeAll(twins: readonly ServedDevice[]): Promise<void> {
  const ends = await Promise.allSettled(twins.map((twin) => twin.close()))
  const failed = ends.find((end) => end.status === 'rejected')
  if (failed !== undefined) throw failed.reason
}

/** Lines that say which of the twins they are about. */
function logOf(twin: number, log: Log): Log {
  return {
    debug: (fields, message) => log.debug({ twin, ...fields }, message),
    info: (fields, message) => log.info({ twin, ...fields }, message),
    warn: (fields, message) => log.warn({ twin, ...fields }, message),
    error: (fields, message) => log.error({ twin, ...fields }, message),
  }
}

/** What a program or a person wants to know of many twins that have just come up. */
export interface AnnouncedTwins {
  readonly version: string
  /** Of each of them. */
  readonly services: readonly string[]
  /** Numbered from 1; the seed decides on serial codes and what else differs from device to device. */
  readonly twins: readonly { readonly twin: number; readonly url: string; readonly seed: number }[]
}

const HEAD = ['TWIN', 'URL', 'SEED']

/** The announcement for people: a line for each. */
export function formatTwins({ version, services, twins }: AnnouncedTwins, colors: Pick<AllColors, 'bold'> = ownColors): string {
  const table = new Table({ head: HEAD, style: { head: [], border: [] } })
  for (const { twin, url, seed } of twins) table.push([twin, url, seed])
  const devices = twins.length === 1 ? '1 virtual device' : `${twins.length} virtual devices`
  return `${colors.bold(`Slotwire ${version}`)} serves ${devices}, each with ${services.join(', ')}\n${table.toString()}\n`
}

/** What makes no sense for many, as it is typed, and why. */
const WITHOUT_MEANING = {
  listen: ['--listen', 'they are for this machine alone'],
  httpsPort: ['--https-port', 'they are for this machine alone'],
  httpPort: ['--http-port', 'they are for this machine alone'],
  state: ['--state', 'they remember nothing when they end'],
  resetState: ['--reset-state', 'they remember nothing when they end'],
  sysRoot: ['--sys-root', 'they have no kernel driver'],
  devRoot: ['--dev-root', 'they have no kernel driver'],
  powerManager: ['--power-manager', 'each has its own power'],
} as const

/** Throws `UsageError` for an option that makes no sense with `--twins`. */
export function refuseOptions(options: ServeOptions): void {
  refuse(options, WITHOUT_MEANING, '--twins')
}

/** The port of each twin: consecutive from the first, or 0 for all. Throws `UsageError` where there are not enough. */
export function portsOf({
  port: first = DEFAULT_SETTINGS.loopbackPort,
  twins,
}: Pick<ServeOptions, 'port'> & { readonly twins: number }): readonly number[] {
  const last = first + twins - 1
  if (first !== 0 && last > HIGHEST_PORT) {
    const highest = HIGHEST_PORT - twins + 1
    throw new UsageError(
      `${twins} twins from port ${first} on would need port ${last}: begin at ${highest} or below, or let ports be picked with --port 0`,
    )
  }
  return Array.from({ length: twins }, (_, index) => (first === 0 ? 0 : first + index))
}
