import { ClientError, defineClient, type Module } from '@slotwire/client'
import { messageOf } from '@slotwire/core'
import { bmcContract } from './contract.ts'

export interface FeedOptions {
  /** Milliseconds between two checks; by default a third of the timeout of the watchdog. */
  readonly everyMs?: number | undefined
  /** Called when a check fails, or the device cannot be fed. */
  readonly onMissed?: ((reason: string) => void) | undefined
}

/** Checks within one timeout of the watchdog, so that one may be late. */
const CHECKS_PER_TIMEOUT = 3

/** Feeds the watchdog while a health check holds. `stop` ends the feeding: the watchdog then restarts the device when its time is over. */
export interface WatchdogFeeder {
  stop(): void
}

async function feed(
  bmc: Module<typeof bmcContract>,
  isHealthy: () => boolean | Promise<boolean>,
  { everyMs, onMissed }: { readonly everyMs: number; readonly onMissed: (reason: string) => void },
  signal: AbortSignal,
): Promise<void> {
  const { clock } = bmc.context.http
  while (!signal.aborted) {
    // A check that hangs feeds nothing, as a program that hangs.
    const late = clock.after(everyMs, () => onMissed('the health check does not end'))
    try {
      if (await isHealthy()) await bmc.call('feedWatchdog', { deadlineMs: everyMs, signal })
      else onMissed('the health check failed')
    } catch (error) {
      if (!signal.aborted) onMissed(messageOf(error))
    } finally {
      late.cancel()
    }
    await clock.sleep(everyMs, signal).catch(() => undefined)
  }
}

/** A mainboard: its calls as the contract has them, and a keeper of its watchdog. */
export const bmcClient = defineClient(bmcContract, (bmc) => ({
  /** Feeds the watchdog, whose timeout must be set, while `isHealthy` returns true. Call `stop` of the result to end it. */
  async feedWhile(isHealthy: () => boolean | Promise<boolean>, { everyMs, onMissed }: FeedOptions = {}): Promise<WatchdogFeeder> {
    const { timeout } = await bmc.call('getWatchdog')
    if (timeout === 0) throw new ClientError('the watchdog is off: set its timeout first, with setWatchdog', { kind: 'refused' })
    const pauseMs = everyMs ?? timeout / CHECKS_PER_TIMEOUT
    if (!(pauseMs > 0)) throw new ClientError('everyMs is out of range: more than 0 ms', { kind: 'invalid' })
    const end = new AbortController()
    const unlisten = bmc.context.http.onClose(() => end.abort())
    void feed(bmc, isHealthy, { everyMs: pauseMs, onMissed: onMissed ?? (() => undefined) }, end.signal).finally(unlisten)
    return { stop: () => end.abort() }
  },
}))
