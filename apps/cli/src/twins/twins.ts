import { formatVersion, type Log, nextTurn, SystemClock } from '@slotwire/core'
import { SERVICE_VERSION } from '@slotwire/device'
import { VolatileMemory } from '@slotwire/twin'
import { refusedPort } from '../run/listen.ts'
import { hardwareOf } from '../serve/hardware.ts'
import type { Served } from '../serve/serve.ts'
import type { ServedDevice } from '../serve/serve-device.ts'
import type { ServeOptions } from '../serve/serve-options.ts'
import { createTwinDevice, followedClock } from '../serve/twin-device.ts'
import { standardLog } from '../terminal/standard-log.ts'
import { portsOf, refuseOptions } from './twins-options.ts'
import { type AnnouncedTwins, formatTwins } from './twins-table.ts'

const LOOPBACK = '127.0.0.1'
/** The seed of the first; the others have those that follow. The first is the device of `slotwire serve`. */
const FIRST_SEED = 1

/**
 * Serves as many twins as told, each on a port of its own, and prints where when all of them answer. Throws `UsageError`. Told to stop
 * meanwhile it begins no further one.
 */
export async function serveTwins(
  options: ServeOptions & { readonly twins: number },
  print: (text: string) => void,
  stopping: AbortSignal,
): Promise<Served> {
  hardwareOf(options)
  refuseOptions(options)
  const ports = portsOf(options)
  const log = standardLog(options.logLevel, process.env)
  const followed = followedClock()
  const realTime = new SystemClock()
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
      const { address } = await twin.service.listen({ host: LOOPBACK, port }).catch((error: unknown) => {
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
