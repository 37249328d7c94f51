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
class WatchdogFeeder {
  readonly #bmc: Module<typeof bmcContract>
  readonly #isHealthy: () => boolean | Promise<boolean>
  readonly #everyMs: number
  readonly #onMissed: (reason: string) => void
  readonly #end = new AbortController()
  readonly #unlisten: () => void

  constructor(
    bmc: Module<typeof bmcContract>,
    isHealthy: () => boolean | Promise<boolean>,
    everyMs: number,
    onMissed: (reason: string) => void,
  ) {
    this.#bmc = bmc
    this.#isHealthy = isHealthy
    this.#everyMs = everyMs
    this.#onMissed = onMissed
    this.#unlisten = bmc.context.http.onClose(() => this.stop())
    void this.#feed()
  }

  stop(): void {
    this.#end.abort()
    this.#unlisten()
  }

  async #feed(): Promise<void> {
    const { clock } = this.#bmc.context.http
    const { signal } = this.#end
    while (!signal.aborted) {
      // A check that hangs feeds nothing, as a program that hangs.
      const late = clock.after(this.#everyMs, () => this.#onMissed('the health check does not end'))
      try {
        if (await this.#isHealthy()) await this.#bmc.call('feedWatchdog', { deadlineMs: this.#everyMs, signal })
        else this.#onMissed('the health check failed')
      } catch (error) {
        if (!signal.aborted) this.#onMissed(messageOf(error))
      } finally {
        late.cancel()
      }
      await clock.sleep(this.#everyMs, signal).catch(() => undefined)
    }
  }
}

export type { WatchdogFeeder }

/** A mainboard: its calls as the contract has them, and a keeper of its watchdog. */
export const bmcClient = defineClient(bmcContract, (bmc) => ({
  /** Feeds the watchdog, whose timeout must be set, while `isHealthy` returns true. Call `stop` of the result to end it. */
  async feedWhile(isHealthy: () => boolean | Promise<boolean>, { everyMs, onMissed }: FeedOptions = {}): Promise<WatchdogFeeder> {
    const { timeout } = await bmc.call('getWatchdog')
    if (timeout === 0) throw new ClientError('the watchdog is off: set its timeout first, with setWatchdog', { kind: 'refused' })
    const pauseMs = everyMs ?? timeout / CHECKS_PER_TIMEOUT
    if (!(pauseMs > 0)) throw new ClientError('everyMs is out of range: more than 0 ms', { kind: 'invalid' })
    return new WatchdogFeeder(bmc, isHealthy, pauseMs, onMissed ?? (() => undefined))
  },
}))
