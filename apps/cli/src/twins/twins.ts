import { formatVersion, type Log, nextTurn, SLOTWIRE_VERSION, seededRandom, systemRandom } from '@slotwire/core'
import { type CheckAccess, identifiedLoopbackAccess, listen } from '@slotwire/edge'
import { DEFAULT_SETTINGS, MAX_PORT, newMachineId } from '@slotwire/network'
import { VolatileMemory } from '@slotwire/twin'
import { consolePage } from '../run/console-page.ts'
import { refusedPort } from '../run/listen.ts'
import type { ServerContext } from '../run/until-stopped.ts'
import { hardwareOf, refuseOptions } from '../serve/hardware.ts'
import type { RunningServer, ServedDevice } from '../serve/serve-device.ts'
import type { ServeOptions } from '../serve/serve-options.ts'
import { createTwinDevice, followedClock, rigOf } from '../serve/twin-device.ts'
import { type Colors as AllColors, counted, formatTable, colors as ownColors } from '../terminal/text.ts'
import { UsageError } from '../terminal/usage-error.ts'

const LOOPBACK = '127.0.0.1'
/** Seed of the first twin, the device of `slotwire serve`. The others have the following seeds. */
const FIRST_SEED = 1
/** Twins of other ports have other machine ids. */
const SEEDS_PER_PORT = 65_536

/**
 * Serves several twins, each on its own port, and prints the URLs when all are ready. Throws `UsageError`. A stop during the start skips
 * the rest.
 */
export async function serveTwins(
  options: ServeOptions & { readonly twins: number },
  { print, clock: realTime, log, stopping }: ServerContext,
): Promise<RunningServer> {
  hardwareOf(options)
  refuseForTwins(options)
  const ports = portsOf(options)
  const followed = followedClock()
  const memory = (): VolatileMemory => new VolatileMemory()
  const { services, powerMode, bus = 'instant', bench } = options
  const rig = await rigOf(options)
  const twins: ServedDevice[] = []
  const close = (): Promise<void> => closeAll(twins)
  stopping.addEventListener('abort', () => twins.forEach((twin) => twin.release()), { once: true })
  const running: RunningServer = {
    close,
    // Twins have no settings.
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
      const twin = await createTwinDevice({
        services,
        powerMode,
        bus,
        bench,
        followed,
        realTime,
        memory,
        page: consolePage,
        ...rig,
        ...own,
      })
      twins.push(twin)
      const { address } = await listen(twin.service, { host: LOOPBACK, port }, { checkAccess: identityOf(seed, port) }).catch(
        (error: unknown) => {
          throw refusedPort(error, port)
        },
      )
      served.push({ twin: index + 1, url: `http://${LOOPBACK}:${address.port}`, seed })
    }
    log.info({ twins: twins.length }, 'all doors are open: the twins start')
    for (const twin of twins) {
      await nextTurn()
      if (stopping.aborted) return running
      await twin.start()
    }
    const announcement = { version: formatVersion(SLOTWIRE_VERSION), services, twins: served }
    print(options.json ? `${JSON.stringify(announcement)}\n` : formatTwins(announcement))
    return running
  } catch (error) {
    await close()
    throw error
  }
}

/** Shows a machine id that is the same at each start: of the seed and the port. At any free port it is a new one: another process has the same seeds. */
function identityOf(seed: number, port: number): CheckAccess {
  const id = newMachineId(port === 0 ? systemRandom : seededRandom(port * SEEDS_PER_PORT + seed))
  const paths = { machineId: DEFAULT_SETTINGS.machineIdPath, tlsCa: DEFAULT_SETTINGS.tlsCaPath }
  return identifiedLoopbackAccess({ paths: () => paths, machineId: () => `${id}\n`, tlsCa: () => undefined })
}

/** Closes all twins in parallel, so that their waits overlap. Waits for all; rejects with the first failure. */
async function closeAll(twins: readonly ServedDevice[]): Promise<void> {
  const ends = await Promise.allSettled(twins.map((twin) => twin.close()))
  const failed = ends.find((end) => end.status === 'rejected')
  if (failed !== undefined) throw failed.reason
}

/** A log that adds the twin's number to every line. */
function logOf(twin: number, log: Log): Log {
  return {
    debug: (fields, message) => log.debug({ twin, ...fields }, message),
    info: (fields, message) => log.info({ twin, ...fields }, message),
    warn: (fields, message) => log.warn({ twin, ...fields }, message),
    error: (fields, message) => log.error({ twin, ...fields }, message),
  }
}

/** What many twins announce when they are ready. */
export interface AnnouncedTwins {
  readonly version: string
  /** Services of each twin. */
  readonly services: readonly string[]
  /** Numbered from 1. The seed determines serial codes and everything else that differs between devices. */
  readonly twins: readonly { readonly twin: number; readonly url: string; readonly seed: number }[]
}

/** The announcement for people: a line for each twin. */
export function formatTwins({ version, services, twins }: AnnouncedTwins, colors: Pick<AllColors, 'bold'> = ownColors): string {
  const devices = counted(twins.length, 'virtual device')
  return `${colors.bold(`Slotwire ${version}`)} serves ${devices}, each with ${services.join(', ')}\n${formatTable(twins)}`
}

/** Options without meaning for several twins: as typed, and the reason. */
const NOT_WITH_TWINS = {
  listen: ['--listen', 'they only open loopback ports'],
  httpsPort: ['--https-port', 'they only open loopback ports'],
  httpPort: ['--http-port', 'they only open loopback ports'],
  benchFrom: ['--bench-from', 'they only open loopback ports'],
  state: ['--state', 'they keep no state after they end'],
  resetState: ['--reset-state', 'they keep no state after they end'],
  sysRoot: ['--sys-root', 'they have no kernel driver'],
  devRoot: ['--dev-root', 'they have no kernel driver'],
  powerManager: ['--power-manager', 'each has its own power budget'],
} as const

/** Throws `UsageError` for an option without meaning for `--twins`. */
export function refuseForTwins(options: ServeOptions): void {
  refuseOptions(options, NOT_WITH_TWINS, '--twins')
}

/** The port of each twin: consecutive from the first, or 0 for all. Throws `UsageError` if there are not enough ports. */
export function portsOf({
  port: first = DEFAULT_SETTINGS.loopbackPort,
  twins,
}: Pick<ServeOptions, 'port'> & { readonly twins: number }): readonly number[] {
  const last = first + twins - 1
  if (first !== 0 && last > MAX_PORT) {
    const highest = MAX_PORT - twins + 1
    throw new UsageError(
      `${twins} twins from port ${first} would need port ${last}: start at ${highest} or below, or pick free ports with --port 0`,
    )
  }
  return Array.from({ length: twins }, (_, index) => (first === 0 ? 0 : first + index))
}
