import type { Backplane, Clock, Log, ModuleDescriptor, Random, SlotLink, Timer } from '@slotwire/core'
import { withDeadline } from '../deadline.ts'
import { closeLink } from '../slot/close-link.ts'
import { descriptorFault } from '../slot/descriptor-bounds.ts'
import type { NotificationReader } from '../slot/notification-log.ts'
import { DESCRIPTOR_DEADLINE_MS, Slot, type SlotEnd } from '../slot/slot.ts'
import { SlotStatistics } from '../slot/slot-statistics.ts'
import { FirmwareNotSupported } from '../slot/start-up.ts'
import { StallTimer } from '../stall-timer.ts'
import { FlapDetector } from './flap-detector.ts'
import type { SlotInventory, SlotState } from './slot-inventory.ts'

/** Pause before a slot that could not be opened, or whose module was given up, is tried again, in milliseconds. */
export const REOPEN_DELAY_MS = 500
/** A module that is left alone is looked at again after so long, in milliseconds: a change is noticed within half a second (decision 0211). */
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

export interface RackOptions {
  readonly backplane: Backplane
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  /** `vendor_product_id`s to drive; modules of another type are left alone. */
  readonly types: readonly string[]
  /** Jobs that may wait for one slot. */
  readonly queueLimit?: number | undefined
  /** Fastest bus clock to use, in kilohertz; the modules' own maximum where it is left out. */
  readonly sclkCapKhz?: number | undefined
  /** What the notifications of a module type mean, for the log; by `vendor_product_id`. */
  readonly notificationReaders?: ReadonlyMap<string, NotificationReader> | undefined
}

export interface BayOptions extends RackOptions {
  /** The module in slot `slot` can be used. */
  readonly onUp: (slot: number) => void
}

/** One place for a module: opens what arrives, tries again while it cannot, follows what it leaves alone, gives up what leaves. */
export class Bay {
  readonly #number: number
  readonly #options: BayOptions
  readonly #flapDetector: FlapDetector
  /** For what is news. */
  readonly #log: Log
  /** For what a start that fails again says again. */
  readonly #startLog: Log
  readonly #statistics = new SlotStatistics()
  readonly #opening: StallTimer
  #state: SlotState = 'empty'
  #descriptor: ModuleDescriptor | undefined
  /** Counts arrivals and departures: an opening that finds another number is void. */
  #turn = 0
  #slot: Slot | undefined
  /** Why its module could not be started, as far as that was told. */
  readonly #told = new Set<string>()
  #retry: Timer | undefined
  #closed: Promise<void> = Promise.resolve()

  constructor(number: number, options: BayOptions) {
    this.#number = number
    this.#options = options
    this.#flapDetector = new FlapDetector({ ...options, slot: number })
    this.#log = demoteWhile(options.log, () => this.#flapDetector.isQuiet)
    this.#startLog = demoteWhile(this.#log, () => this.#told.size > 0)
    this.#opening = new StallTimer(options.clock, START_LIMIT_MS)
  }

  /** The module while it can be used. */
  get slot(): Slot | undefined {
    return this.#state === 'usable' ? this.#slot : undefined
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
    this.#flapDetector.changed()
    this.#told.clear()
    this.#state = 'starting'
    return this.#open()
  }

  /** Whatever was there, or was about to be, is given up. */
  left(reason: SlotEnd): void {
    if (reason === 'stopping') this.#flapDetector.close()
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
      if (this.#leavesAlone(descriptor)) return
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
    return withDeadline(clock, DESCRIPTOR_DEADLINE_MS, backplane.descriptor(this.#number), 'no descriptor')
  }

  #openLink(): Promise<SlotLink> {
    const { backplane, clock } = this.#options
    return withDeadline(clock, OPEN_DEADLINE_MS, backplane.open(this.#number), 'not opened', (link) => this.#giveBack(link))
  }

  async #start(link: SlotLink, descriptor: ModuleDescriptor): Promise<void> {
    const { backplane, notificationReaders } = this.#options
    const slot = new Slot({
      ...this.#options,
      link,
      descriptor,
      readDescriptor: () => backplane.descriptor(this.#number),
      deviceRestarting: () => backplane.state === 'restarting',
      log: this.#startLog,
      statistics: this.#statistics,
      readNotification: notificationReaders?.get(descriptor.vendorProductId),
    })
    this.#slot = slot
    slot.subscribe((event) => {
      if (event === 'lost') this.#onEnd(slot)
    })
    await slot.start()
    if (slot.ended !== undefined) throw new Error('the module left as soon as it was started')
    this.#state = 'usable'
    this.#told.clear()
    this.#log.info({ slot: this.#number, vendorProductId: slot.vendorProductId }, 'module is usable')
    this.#options.onUp(this.#number)
  }

  /** Whether it is not a module to drive here: then that is said, and looked at again. */
  #leavesAlone(descriptor: ModuleDescriptor): boolean {
    const { vendorProductId, bootloaderState } = descriptor
    const fields = { slot: this.#number, vendorProductId }
    const reason = descriptorFault(descriptor)
    if (bootloaderState === 'in bootloader mode') {
      this.#state = 'bootloader'
      this.#log.info(fields, 'module is in bootloader mode and not used')
    } else if (!this.#options.types.includes(vendorProductId)) {
      this.#state = 'foreign'
      this.#log.info(fields, 'module is of a type that is not driven here')
    } else if (reason !== undefined) {
      this.#state = 'incompatible'
      this.#log.warn({ slot: this.#number, reason }, 'module is not usable')
    } else return false
    this.#lookAgainLater(descriptor)
    return true
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
    this.#tryAgainLater('failed')
  }

  /** Called for every end, asked for or not, usable or still starting. */
  #onEnd(slot: Slot): void {
    const wasUsable = this.#state === 'usable'
    this.#closed = slot.closed
    this.#slot = undefined
    if (!wasUsable) return
    const isLost = slot.ended === 'lost' || slot.ended === 'hung'
    this.#log[isLost ? 'warn' : 'info']({ slot: this.#number, reason: slot.ended }, 'module is no longer used')
    if (!isLost) return
    this.#flapDetector.changed()
    this.#tryAgainLater(slot.ended)
  }

  #tryAgainLater(state: SlotState): void {
    this.#state = state
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
    if (identityOf(known) !== identityOf(found)) return this.arrived()
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
function demoteWhile(log: Log, isQuiet: () => boolean): Log {
  return {
    debug: (fields, message) => log.debug(fields, message),
    info: (fields, message) => log[isQuiet() ? 'debug' : 'info'](fields, message),
    warn: (fields, message) => log[isQuiet() ? 'debug' : 'warn'](fields, message),
    error: (fields, message) => log.error(fields, message),
  }
}

/**
 * The same for two readings of one slot if they are of the same module, and of one that is as fit to be driven as before. What a driver changes of
 * a module that it drives, its power above all, says nothing.
 */
function identityOf(descriptor: ModuleDescriptor): string {
  const { vendorProductId, serialCode, bootloaderState, firmware } = descriptor
  return JSON.stringify([vendorProductId, serialCode, bootloaderState, firmware, descriptorFault(descriptor)])
}
