import { type Clock, messageOf, type Timer } from '@slotwire/core'
import { type SlotApi, SlotNeeded } from '@slotwire/driver'
import type { HandlerContext, ModuleObserver } from '@slotwire/service'
import type { KnownModule } from './module-states.ts'

/** How often modules are read for the journal, in milliseconds. */
export const RESTING_INTERVAL_MS = 10_000
/** The same while a client follows the journal, and first after a module has come. */
export const FOLLOWED_INTERVAL_MS = 1000

export interface IdleReadingsOptions {
  /** The usable modules. */
  readonly modules: () => readonly KnownModule[]
  readonly isFollowed: () => boolean
  readonly observer: Pick<ModuleObserver, 'answered'>
  /** Clock of the device. */
  readonly clock: Clock
  /** For the handlers. */
  readonly context: Pick<HandlerContext, 'hostDevices' | 'log'>
}

/** Reads what the journals of module types want, when no request waits for the module. Nothing is read, and no timer set, without one. */
export class IdleReadings {
  readonly #options: IdleReadingsOptions
  /** Slots that are being read. */
  readonly #reading = new Set<SlotApi>()
  #timer: Timer | undefined
  #closed = false

  constructor(options: IdleReadingsOptions) {
    this.#options = options
  }

  /** Call this when a module has become usable: it is read soon. */
  start(): void {
    this.#arm(FOLLOWED_INTERVAL_MS)
  }

  close(): void {
    this.#closed = true
    this.#timer?.cancel()
  }

  /** The renewals of heartbeats and the checks of slots have these moments too: the process wakes up once for all. */
  #arm(intervalMs: number): void {
    const { clock, modules, isFollowed } = this.#options
    this.#timer?.cancel()
    this.#timer = undefined
    if (this.#closed || !modules().some(hasReadings)) return
    this.#timer = clock.after(intervalMs - (clock.now() % intervalMs), () => {
      for (const module of modules()) this.#readModule(module)
      this.#arm(isFollowed() ? FOLLOWED_INTERVAL_MS : RESTING_INTERVAL_MS)
    })
  }

  #readModule(module: KnownModule): void {
    const { slot } = module
    if (!hasReadings(module) || this.#reading.has(slot)) return
    this.#reading.add(slot)
    const done = (): void => {
      this.#reading.delete(slot)
    }
    this.#readAll(module).then(done, done)
  }

  /** A reading that fails is tried again at the next moment. */
  async #readAll(module: KnownModule): Promise<void> {
    const { handlers, journal } = module.service
    for (const [endpoint, reading] of Object.entries(journal?.readings ?? {})) {
      const handler = handlers[endpoint]
      if (handler?.kind !== 'bus' || reading?.isWanted(module.state) !== true) continue
      const { observer, context } = this.#options
      try {
        await module.slot.readWhenIdle(async (exchange) => {
          if (this.#closed) return
          const request = { body: undefined, parameters: {} }
          const reply = await handler.run(exchange, request, { ...context, slot: module.slot, readOnly: true })
          observer.answered(module.slot, endpoint, reply)
        })
      } catch (error) {
        if (error instanceof SlotNeeded) continue
        context.log.debug({ slot: module.slot.slot, endpoint, reason: messageOf(error) }, 'a reading for the journal failed')
      }
    }
  }
}

function hasReadings({ service }: KnownModule): boolean {
  return service.journal?.readings !== undefined
}
