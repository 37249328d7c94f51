import type { Backplane, Clock, Log, ModuleDescriptor, Random, SlotLink, Timer } from '@slotwire/core'
import { withDeadline } from '../deadline.ts'
import { closeLink } from '../slot/close-link.ts'
import { descriptorFault } from '../slot/descriptor-bounds.ts'
import type { NotificationReader } from '../slot/notification-log.ts'
import { DESCRIPTOR_DEADLINE_MS, Slot, type SlotEnd } from '../slot/slot.ts'
import { SlotStatistics } from '../slot/slot-statistics.ts'
import { FirmwareNotSupported } from '../slot/start-up.ts'
import { UnderWay } from '../under-way.ts'
import { Restlessness } from './restlessness.ts'
import type { SlotInventory, SlotState } from './slot-inventory.ts'

/** Pause before a slot that could not be opened, or whose module was given up, is tried again, in milliseconds. */
export const REOPEN_DELAY_MS = 500
/** A module that is left alone is looked at again after so long, in milliseconds: a change is noticed within half a second (decision 0230). */
export const LOOK_AGAIN_MS = 400
/** So many different reasons why a module cannot be started are told, until it is, or another one comes. */
export const TOLD_REASONS = 8
/** Longest wait for the backplane to open a slot, in milliseconds. */
export const OPEN_DEADLINE_MS = 3000
/**
 * A module that has been starting for longer, in milliseconds, does not come to an end at all: the descriptor, the opening and each exchange
 * have their deadlines, which make half of it.
 */
export const START_LIMIT_MS = 60_000

export interface BayOptions {
  readonly backplane: Backplane
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  /** Module types to drive. */
  readonly types: readonly string[]
  readonly queueLimit?: number | undefined
  readonly sclkCapKhz?: number | undefined
  readonly notificationReaders?: ReadonlyMap<string, NotificationReader> | undefined
  /** The module in slot `slot` can be used. */
  readonly onUp: (slot: number) => void
}

/** One place for a module: opens what arrives, tries again while it cannot, follows what it leaves alone, gives up what leaves. */
export class Bay {
  readonly #number: number
  readonly #options: BayOptions
  readonly #restlessness: Restlessness
  /** For what is news. */
  readonly #log: Log
  /** For what a start that fails again says again. */
  readonly #startLog: Log
  readonly #statistics = new SlotStatistics()
  readonly #opening: UnderWay
  #state: SlotState = 'empty'
  #descriptor: ModuleDescriptor | undefined
  /** Counts arrivals and departures: an opening that finds another number is void. */
  #turn = 0
  #slot: Slot | undefined
  #usable = false
  /** Why its module could not be started, as far as that was told. */
  readonly #told = new Set<string>()
  #retry: Timer | undefined
  #closed: Promise<void> = Promise.resolve()

  constructor(number: number, options: BayOptions) {
    this.#number = number
    this.#options = options
    this.#restlessness = new Restlessness(number, options.clock, options.log)
    this.#log = quietWhile(options.log, () => this.#restlessness.isQuiet)
    this.#startLog = quietWhile(this.#log, () => this.#told.size > 0)
    this.#opening = new UnderWay(options.clock, START_LIMIT_MS)
  }

  /** The module while it can be used. */
  get slot(): Slot | undefined {
    return this.#usable ? this.#slot : undefined
  }

  /** What is in this place now, and what has happened here. */
  get inventory(): SlotInventory {
    return {
      slot: this.#number,
      state: this.#state,
      descriptor: this.#descriptor,
      waitingJobs: this.#slot?.waitingJobs ?? 0,
      statistics: this.#statistics,
    }
  }

  /**
   * What the driver does not get on with in this place; undefined: nothing. That a module cannot be started, or is tried again and again,
   * is its own fault.
   */
  get stuck(): string | undefined {
    const seconds = this.#opening.stuckSeconds
    const found = seconds === undefined ? this.#slot?.stuck : `the start of its module has not ended for ${seconds} s`
    return found === undefined ? undefined : `slot ${this.#number}: ${found}`
  }

  /** Resolves when the link of the last module has been closed. */
  get closed(): Promise<void> {
    return this.#closed
  }

  /** A module is there, perhaps another one. Resolves when its first opening succeeded or failed; never rejects. */
  arrived(): Promise<void> {
    this.left('lost')
    this.#restlessness.changed()
    this.#told.clear()
    this.#state = 'starting'
    return this.#open()
  }

  /** Whatever was there, or was about to be, is given up. */
  left(reason: SlotEnd): void {
    if (reason === 'stopping') this.#restlessness.close()
    this.#turn++
    this.#opening.end()
    this.#slot?.end(reason)
    this.#retry?.cancel()
    this.#retry = undefined
    this.#state = 'empty'
    this.#descriptor = undefined
  }

  async #open(): Promise<void> {
    const turn = ++this.#turn
    this.#opening.end()
    this.#opening.begin()
    try {
      await this.#closed
      if (turn !== this.#turn) return
      const descriptor = await this.#readDescriptor()
      if (turn !== this.#turn) return
      this.#descriptor = descriptor
      if (!this.#isOurs(descriptor) || !this.#isSupported(descriptor)) {
        this.#lookAgainLater(descriptor)
        return
      }
      const link = await this.#openLink()
      if (turn !== this.#turn) this.#giveBack(link)
      else await this.#start(link, descriptor)
    } catch (error) {
      if (turn !== this.#turn) return
      this.#onFailure(error)
    } finally {
      if (turn === this.#turn) this.#opening.end()
    }
  }

  #readDescriptor(): Promise<ModuleDescriptor> {
    const { backplane, clock } = this.#options
    const expired = (): Error => new Error(`no descriptor within ${DESCRIPTOR_DEADLINE_MS} ms`)
    return withDeadline(clock, DESCRIPTOR_DEADLINE_MS, backplane.descriptor(this.#number), expired)
  }

  #openLink(): Promise<SlotLink> {
    const { backplane, clock } = this.#options
    const expired = (): Error => new Error(`not opened within ${OPEN_DEADLINE_MS} ms`)
    return withDeadline(clock, OPEN_DEADLINE_MS, backplane.open(this.#number), expired, (link) => this.#giveBack(link))
  }

  async #start(link: SlotLink, descriptor: ModuleDescriptor): Promise<void> {
    const { backplane, clock, random, queueLimit, sclkCapKhz, notificationReaders } = this.#options
    const slot = new Slot({
      link,
      descriptor,
      readDescriptor: () => backplane.descriptor(this.#number),
      deviceRestarting: () => backplane.state === 'restarting',
      clock,
      random,
      log: this.#startLog,
      statistics: this.#statistics,
      queueLimit,
      sclkCapKhz,
      readNotification: notificationReaders?.get(descriptor.vendorProductId),
    })
    this.#slot = slot
    slot.subscribe((event) => {
      if (event === 'lost') this.#onEnd(slot)
    })
    await slot.start()
    if (slot.ended !== undefined) throw new Error('the module left as soon as it was started')
    this.#usable = true
    this.#state = 'usable'
    this.#told.clear()
    this.#log.info({ slot: this.#number, vendorProductId: slot.vendorProductId }, 'module is usable')
    this.#options.onUp(this.#number)
  }

  #isOurs(descriptor: ModuleDescriptor): boolean {
    const { vendorProductId, bootloaderState } = descriptor
    if (bootloaderState === 'in bootloader mode') {
      this.#state = 'bootloader'
      this.#log.info({ slot: this.#number, vendorProductId }, 'module is in bootloader mode and not used')
      return false
    }
    if (!this.#options.types.includes(vendorProductId)) {
      this.#state = 'foreign'
      this.#log.info({ slot: this.#number, vendorProductId }, 'module is of a type that is not driven here')
      return false
    }
    return true
  }

  #isSupported(descriptor: ModuleDescriptor): boolean {
    const reason = descriptorFault(descriptor)
    if (reason === undefined) return true
    this.#state = 'incompatible'
    this.#log.warn({ slot: this.#number, reason }, 'module is not usable')
    return false
  }

  #onFailure(error: unknown): void {
    const fields = { slot: this.#number, reason: error instanceof Error ? error.message : String(error) }
    if (error instanceof FirmwareNotSupported) {
      this.#turn++
      this.#opening.end()
      this.#slot?.end('lost')
      this.#state = 'incompatible'
      this.#log.warn(fields, 'module is not usable')
      if (this.#descriptor !== undefined) this.#lookAgainLater(this.#descriptor)
      return
    }
    const isNews = this.#told.size < TOLD_REASONS && !this.#told.has(fields.reason)
    this.#log[isNews ? 'warn' : 'debug'](fields, 'module could not be started, trying on')
    if (isNews) this.#told.add(fields.reason)
    this.#slot?.end('lost')
    this.#state = 'failed'
    this.#tryAgainLater()
  }

  /** Called for every end, asked for or not, usable or still starting. */
  #onEnd(slot: Slot): void {
    const wasUsable = this.#usable
    this.#closed = slot.closed
    this.#slot = undefined
    this.#usable = false
    if (!wasUsable) return
    const isLost = slot.ended === 'lost' || slot.ended === 'hung'
    this.#log[isLost ? 'warn' : 'info']({ slot: this.#number, reason: slot.ended }, 'module is no longer used')
    if (!isLost) return
    this.#restlessness.changed()
    this.#state = slot.ended
    this.#tryAgainLater()
  }

  #tryAgainLater(): void {
    this.#later(REOPEN_DELAY_MS, () => this.#open())
  }

  /** Another program may update a module, or bring it out of its bootloader, without its leaving. */
  #lookAgainLater(known: ModuleDescriptor): void {
    this.#later(LOOK_AGAIN_MS, () => this.#lookAgain(known))
  }

  async #lookAgain(known: ModuleDescriptor): Promise<void> {
    const turn = this.#turn
    // What cannot be read at the moment, while it is being updated perhaps, says nothing.
    const found = await this.#readDescriptor().catch(() => known)
    if (turn !== this.#turn) return
    if (!isSameModule(known, found)) {
      await this.arrived()
      return
    }
    this.#descriptor = found
    this.#lookAgainLater(found)
  }

  /** While nothing else happens here, and the module is there. */
  #later(delayMs: number, work: () => Promise<void>): void {
    this.#retry?.cancel()
    const turn = this.#turn
    this.#retry = this.#options.clock.after(delayMs, () => {
      this.#retry = undefined
      if (turn !== this.#turn || !this.#options.backplane.present().includes(this.#number)) return
      work().catch((error: unknown) => {
        this.#options.log.error({ slot: this.#number, err: error }, 'a slot could not be followed')
      })
    })
  }

  /** A link that came too late for its opening. Its closing is awaited before the slot is opened anew. */
  #giveBack(link: SlotLink): void {
    this.#closed = Promise.all([this.#closed, closeLink(link, this.#options.clock, this.#startLog)]).then(() => undefined)
  }
}

/** A log whose information and warnings are for whoever looks closely only, while `isQuiet`: what goes on and on is told once in full. */
function quietWhile(log: Log, isQuiet: () => boolean): Log {
  return {
    debug: (fields, message) => log.debug(fields, message),
    info: (fields, message) => log[isQuiet() ? 'debug' : 'info'](fields, message),
    warn: (fields, message) => log[isQuiet() ? 'debug' : 'warn'](fields, message),
    error: (fields, message) => log.error(fields, message),
  }
}

/**
 * Whether two readings of one slot are of the same module, and of one that is as fit to be driven as before. What a driver changes of a
 * module that it drives, its power above all, says nothing.
 */
function isSameModule(one: ModuleDescriptor, other: ModuleDescriptor): boolean {
  return identityOf(one) === identityOf(other)
}

function identityOf(descriptor: ModuleDescriptor): string {
  const { vendorProductId, serialCode, bootloaderState, firmware } = descriptor
  return JSON.stringify([vendorProductId, serialCode, bootloaderState, firmware, descriptorFault(descriptor)])
}
