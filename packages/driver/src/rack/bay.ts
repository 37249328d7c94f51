import {
  type Backplane,
  type Log,
  type ModuleDescriptor,
  messageOf,
  type SlotLink,
  type Timer,
  withDeadline,
} from '@slotwire/core'
import type { ReadNotification } from '../slot/notification-log.ts'
import { DESCRIPTOR_DEADLINE_MS, Slot, type SlotEnd, type SlotOptions } from '../slot/slot.ts'
import { SlotStatistics } from '../slot/slot-statistics.ts'
import { closeLink, descriptorFault, FirmwareNotSupported } from '../slot/start-up.ts'
import { StallTimer } from '../stall-timer.ts'
import { FlapDetector, STABLE_AFTER_MS } from './flap-detector.ts'
import type { RackEvent, SlotInventory, SlotState } from './slot-inventory.ts'

/**
 * Pause before the next attempt to open a slot, in milliseconds. After a module that did not answer it doubles up to the longest one: each
 * attempt ends with a close, which keeps the bus of its neighbours busy.
 */
export const REOPEN_DELAY_MS = 500
export const MAX_REOPEN_DELAY_MS = 30_000
/** A module that hung so often within so many milliseconds must acknowledge every heartbeat for so long before it is used again. */
export const HUNG_TIMES = 3
export const HUNG_WITHIN_MS = 10_000
export const PROBATION_MS = 3000
/**
 * How often a module that is left alone is checked again, in milliseconds. With the look at its files a change is noticed within half a
 * second (decision 0211).
 */
export const RECHECK_INTERVAL_MS = 200
/** So many different reasons why a module cannot be started are logged, until it starts or another one comes. */
export const LOGGED_REASONS = 8
/** Longest wait for the backplane to open a slot, in milliseconds. */
export const OPEN_DEADLINE_MS = 3000
/** A start that takes longer is stuck, in milliseconds. The deadlines of descriptor, open and exchanges add up to half of it. */
export const MAX_START_MS = 60_000

export interface RackOptions extends Pick<SlotOptions, 'clock' | 'random' | 'log' | 'queueLimit' | 'sclkCapKhz'> {
  readonly backplane: Backplane
  /** `vendor_product_id`s to drive; modules of another type are left alone. */
  readonly types: readonly string[]
  /** What the notifications of each module type mean, for the log; by `vendor_product_id`. */
  readonly notificationReaders?: ReadonlyMap<string, ReadNotification> | undefined
  /** Reading commands that tell whether a module has restarted; by `vendor_product_id`. */
  readonly probes?: ReadonlyMap<string, SlotOptions['probe']> | undefined
}

export interface BayOptions extends RackOptions, Pick<SlotOptions, 'heartbeatPhaseMs' | 'closeInTurn'> {
  /** Called when the module in slot `slot` becomes usable. */
  readonly onUp: (slot: number) => void
  /** Called with each event of the module. Must not throw. */
  readonly onEvent: (event: RackEvent) => void
}

/** Manages the module in one slot: opens one that arrives, retries failures, checks one that is left alone, gives up one that leaves. */
export class Bay {
  readonly #flapDetector: FlapDetector
  /** Logs messages below the normal level while the module comes and goes. */
  readonly #log: Log
  /** The same for a start: logs repeated failures below the normal level. */
  readonly #startLog: Log
  readonly #statistics = new SlotStatistics()
  readonly #opening: StallTimer
  #state: SlotState = 'empty'
  #descriptor: ModuleDescriptor | undefined
  /** Counts arrivals and departures. An open that finds another number is void. */
  #generation = 0
  #slot: Slot | undefined
  /** The logged reasons why the module could not be started. */
  readonly #loggedReasons = new Set<string>()
  #retry: Timer | undefined
  #reopenDelayMs = REOPEN_DELAY_MS
  /** When the module was usable last, while it does not answer. */
  #hungSinceMs: number | undefined
  /** When it hung, the last times. */
  #hungMs: readonly number[] = []
  #usableMs = 0
  #closed: Promise<void> = Promise.resolve()

  constructor(
    private readonly number: number,
    private readonly options: BayOptions,
  ) {
    this.#flapDetector = new FlapDetector({ ...options, slot: number })
    this.#log = demoteWhile(options.log, () => this.#flapDetector.isQuiet)
    this.#startLog = demoteWhile(this.#log, () => this.#loggedReasons.size > 0)
    this.#opening = new StallTimer(options.clock, MAX_START_MS)
  }

  /** The module while it is usable. */
  get slot(): Slot | undefined {
    return this.#state === 'usable' ? this.#slot : undefined
  }

  /** The state of the slot, and its statistics. */
  get inventory(): SlotInventory {
    return {
      slot: this.number,
      state: this.#state,
      descriptor: this.#descriptor,
      silentMs: this.#hungSinceMs === undefined ? undefined : this.options.clock.now() - this.#hungSinceMs,
      waitingJobs: this.#slot?.waitingJobs ?? 0,
      statistics: this.#statistics,
    }
  }

  /**
   * What is stuck in the driver for this slot; undefined: nothing. A module that cannot be started, or is retried again and again, does
   * not count.
   */
  get stuck(): string | undefined {
    const seconds = this.#opening.stuckSeconds
    const reason = seconds === undefined ? this.#slot?.stuck : `the start of its module has not ended for ${seconds} s`
    return reason === undefined ? undefined : `slot ${this.number}: ${reason}`
  }

  /** Resolves when the link of the last module has been closed. */
  get closed(): Promise<void> {
    return this.#closed
  }

  /** A module has come, maybe another one. Resolves when its first open succeeded or failed; never rejects. */
  arrived(): Promise<void> {
    this.left('lost')
    this.#flapDetector.changed()
    this.#loggedReasons.clear()
    this.#reopenDelayMs = REOPEN_DELAY_MS
    this.#hungMs = []
    this.#state = 'starting'
    return this.#open()
  }

  /** Gives up the module, also one that is being opened. */
  left(reason: SlotEnd): void {
    if (reason === 'stopping') this.#flapDetector.close()
    this.#generation++
    this.#opening.end()
    this.#slot?.end(reason)
    this.#retry?.cancel()
    this.#retry = undefined
    this.#state = 'empty'
    this.#hungSinceMs = undefined
    this.#descriptor = undefined
  }

  async #open(): Promise<void> {
    const generation = ++this.#generation
    this.#opening.end()
    this.#opening.begin()
    let wasOpen = false
    try {
      await this.#closed
      if (generation !== this.#generation) return
      const descriptor = await this.#readDescriptor()
      if (generation !== this.#generation) return
      this.#descriptor = descriptor
      if (this.#leavesAlone(descriptor)) return
      const link = await this.#openLink()
      wasOpen = true
      if (generation !== this.#generation) this.#closeLate(link)
      else await this.#start(link, descriptor)
    } catch (error) {
      if (generation !== this.#generation) return
      this.#onFailure(error, wasOpen)
    } finally {
      if (generation === this.#generation) this.#opening.end()
    }
  }

  #readDescriptor(): Promise<ModuleDescriptor> {
    const { backplane, clock } = this.options
    return withDeadline(clock, DESCRIPTOR_DEADLINE_MS, backplane.descriptor(this.number), 'no descriptor')
  }

  #openLink(): Promise<SlotLink> {
    const { backplane, clock } = this.options
    return withDeadline(clock, OPEN_DEADLINE_MS, backplane.open(this.number), 'not opened', (link) => this.#closeLate(link))
  }

  async #start(link: SlotLink, descriptor: ModuleDescriptor): Promise<void> {
    const { backplane, notificationReaders, probes, onEvent } = this.options
    const slot = new Slot({
      ...this.options,
      link,
      descriptor,
      readDescriptor: () => backplane.descriptor(this.number),
      deviceRestarting: () => backplane.state === 'restarting',
      log: this.#startLog,
      statistics: this.#statistics,
      probationMs: this.#hungMs.length === HUNG_TIMES ? PROBATION_MS : 0,
      readNotification: notificationReaders?.get(descriptor.vendorProductId),
      probe: probes?.get(descriptor.vendorProductId),
      onNotification: (from, bytes) => onEvent({ type: 'notified', slot: from, bytes }),
    })
    this.#slot = slot
    slot.subscribe((event) => {
      if (event === 'lost') this.#onEnd(slot)
      else if (event === 'session' || event === 'reset') onEvent({ type: event, slot })
    })
    await slot.start()
    if (slot.ended !== undefined) throw new Error('the module left as soon as it was started')
    this.#state = 'usable'
    this.#usableMs = this.options.clock.now()
    this.#hungSinceMs = undefined
    if (this.#hungMs.length === HUNG_TIMES) this.#hungMs = []
    this.#loggedReasons.clear()
    this.#log.info({ slot: this.number, vendorProductId: slot.vendorProductId }, 'module is usable')
    this.options.onUp(this.number)
    onEvent({ type: 'arrived', slot, descriptor })
  }

  /** Whether the module is not to be driven. If so, logs why and checks it again later. */
  #leavesAlone(descriptor: ModuleDescriptor): boolean {
    const { vendorProductId, bootloaderState } = descriptor
    const fields = { slot: this.number, vendorProductId }
    const reason = descriptorFault(descriptor)
    if (bootloaderState === 'in bootloader mode') {
      this.#state = 'bootloader'
      this.#log.info(fields, 'module is in bootloader mode and not used')
    } else if (!this.options.types.includes(vendorProductId)) {
      this.#state = 'foreign'
      this.#log.info(fields, 'module is of a type that is not driven here')
    } else if (reason !== undefined) {
      this.#state = 'incompatible'
      this.#log.warn({ slot: this.number, reason }, 'module is not usable')
    } else return false
    this.#recheckLater(descriptor)
    return true
  }

  #onFailure(error: unknown, wasOpen: boolean): void {
    const fields = { slot: this.number, reason: messageOf(error) }
    if (error instanceof FirmwareNotSupported) {
      this.#generation++
      this.#opening.end()
      this.#slot?.end('lost')
      this.#state = 'incompatible'
      this.#log.warn(fields, 'module is not usable')
      if (this.#descriptor !== undefined) this.#recheckLater(this.#descriptor)
      return
    }
    const isNew = this.#loggedReasons.size < LOGGED_REASONS && !this.#loggedReasons.has(fields.reason)
    this.#log[isNew ? 'warn' : 'debug'](fields, 'module could not be started, trying again')
    if (isNew) this.#loggedReasons.add(fields.reason)
    this.#slot?.end('hung')
    if (this.#state !== 'hung') this.#state = 'failed'
    if (wasOpen) this.#tryAgainLater()
    else this.#later(REOPEN_DELAY_MS, () => this.#open())
  }

  /** Called for every end of a slot: requested or not, usable or still starting. */
  #onEnd(slot: Slot): void {
    const wasUsable = this.#state === 'usable'
    this.#closed = slot.closed
    this.#slot = undefined
    if (!wasUsable) return
    const isLost = slot.ended === 'lost' || slot.ended === 'hung'
    const now = this.options.clock.now()
    if (slot.ended === 'hung') {
      this.#hungSinceMs = slot.lastRunMs
      this.#hungMs = [...this.#hungMs, now].filter((hungMs) => now - hungMs < HUNG_WITHIN_MS).slice(-HUNG_TIMES)
    }
    this.#log[isLost ? 'warn' : 'info']({ slot: this.number, reason: slot.ended }, 'module is no longer used')
    if (slot.ended !== 'stopping') this.options.onEvent({ type: slot.ended === 'hung' ? 'hung' : 'left', slot })
    if (!isLost) return
    this.#flapDetector.changed()
    if (now - this.#usableMs >= STABLE_AFTER_MS) this.#reopenDelayMs = REOPEN_DELAY_MS
    this.#state = slot.ended
    this.#tryAgainLater()
  }

  /** The pauses grow. */
  #tryAgainLater(): void {
    this.#later(this.#reopenDelayMs, () => this.#open())
    this.#reopenDelayMs = Math.min(2 * this.#reopenDelayMs, MAX_REOPEN_DELAY_MS)
  }

  /** Another program may update a module, or end its bootloader mode, without unplugging it. */
  #recheckLater(known: ModuleDescriptor): void {
    // All slots at the same moments: the process wakes up once for all.
    this.#later(RECHECK_INTERVAL_MS - (this.options.clock.now() % RECHECK_INTERVAL_MS), () => this.#recheck(known))
  }

  async #recheck(known: ModuleDescriptor): Promise<void> {
    const generation = this.#generation
    // A descriptor that cannot be read, for example during an update, counts as unchanged.
    const descriptor = await this.#readDescriptor().catch(() => known)
    if (generation !== this.#generation) return
    if (identityOf(known) !== identityOf(descriptor)) return this.arrived()
    this.#descriptor = descriptor
    this.#recheckLater(descriptor)
  }

  /** Runs `work` after the delay, if nothing else has happened in the slot and a module is there. */
  #later(delayMs: number, work: () => Promise<void>): void {
    this.#retry?.cancel()
    const generation = this.#generation
    this.#retry = this.options.clock.after(delayMs, () => {
      this.#retry = undefined
      if (generation !== this.#generation || !this.options.backplane.present().includes(this.number)) return
      work().catch((error: unknown) => {
        this.options.log.error({ slot: this.number, err: error }, 'a slot could not be checked again')
      })
    })
  }

  /** Closes a link that came too late. The next open waits until it is closed. */
  #closeLate(link: SlotLink): void {
    this.#closed = Promise.all([this.#closed, closeLink(link, this.options.clock, this.#startLog)]).then(() => undefined)
  }
}

/** While `isQuiet`, logs information and warnings at debug level: repeated events are logged once in full. */
function demoteWhile(log: Log, isQuiet: () => boolean): Log {
  return {
    debug: (fields, message) => log.debug(fields, message),
    info: (fields, message) => log[isQuiet() ? 'debug' : 'info'](fields, message),
    warn: (fields, message) => log[isQuiet() ? 'debug' : 'warn'](fields, message),
    error: (fields, message) => log.error(fields, message),
  }
}

/**
 * Equal for two readings of a slot if both show the same module with the same fitness to be driven. Ignores values that a driver changes,
 * such as power.
 */
function identityOf(descriptor: ModuleDescriptor): string {
  const { vendorProductId, serialCode, bootloaderState, firmware } = descriptor
  return JSON.stringify([vendorProductId, serialCode, bootloaderState, firmware, descriptorFault(descriptor)])
}
