import {
  type Backplane,
  type BackplaneEvent,
  type BackplaneState,
  type Clock,
  type Log,
  type Random,
  sessionIdentifier,
  type Timer,
} from '@slotwire/core'
import type { NotificationReader } from '../slot/notification-log.ts'
import type { SlotEnd } from '../slot/slot.ts'
import type { SlotApi } from '../slot/slot-api.ts'
import { Bay, type BayOptions } from './bay.ts'
import type { SlotInventory } from './slot-inventory.ts'

/** Longest that a start, or the end of a restart, waits for the modules, in milliseconds; who is slower comes up later. */
export const SCAN_DEADLINE_MS = 3000

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

/** All usable modules of a device, as they come and go. */
export class Rack {
  readonly #options: RackOptions
  readonly #bayOptions: BayOptions
  readonly #bays = new Map<number, Bay>()
  readonly #awaited: AwaitedSlots
  #driverSession: string
  #unsubscribe: (() => void) | undefined
  #ready = false

  constructor(options: RackOptions) {
    this.#options = options
    this.#driverSession = sessionIdentifier(options.random)
    this.#awaited = new AwaitedSlots(options.clock)
    this.#bayOptions = { ...options, onUp: (slot) => this.#awaited.returned(slot) }
  }

  /** `driver_session` of the specification: new at every start, of the driver or of the device. */
  get driverSession(): string {
    return this.#driverSession
  }

  /** `restarting` until the modules that were usable before are so again, at most `SCAN_DEADLINE_MS` longer than the device itself. */
  get state(): BackplaneState {
    return this.#awaited.any ? 'restarting' : this.#options.backplane.state
  }

  /** Whether the modules that were present at the start have been looked at. */
  get ready(): boolean {
    return this.#ready
  }

  /** Begins to follow the backplane; resolves when the modules that are present are usable, or were found not to be. Once only. */
  async start(): Promise<void> {
    const { backplane, clock } = this.#options
    this.#unsubscribe = backplane.subscribe((event) => this.#follow(event))
    const scan = Promise.all(backplane.present().map((number) => this.#bay(number).arrived()))
    await new Promise<void>((resolve) => {
      const timer = clock.after(SCAN_DEADLINE_MS, resolve)
      const done = (): void => {
        timer.cancel()
        resolve()
      }
      scan.then(done, done)
    })
    this.#ready = true
  }

  /** Fails what waits for a module, and whatever is asked later, with `stopping`. What has begun goes on. */
  refuseWaiting(): void {
    for (const bay of this.#bays.values()) bay.slot?.refuseWaiting()
  }

  /** Gives every module up: pending requests fail with `stopping`. Resolves when the links are closed, or took too long. */
  async stop(): Promise<void> {
    this.#unsubscribe?.()
    this.#unsubscribe = undefined
    this.#awaited.clear()
    await this.#endAll('stopping')
  }

  /** The usable modules of one type, by slot number. */
  usable(vendorProductId: string): SlotApi[] {
    return [...this.#bays.values()]
      .flatMap((bay) => bay.slot ?? [])
      .filter((slot) => slot.vendorProductId === vendorProductId)
      .sort((one, other) => one.slot - other.slot)
  }

  /** The usable module of that type in that slot. */
  find(slot: number, vendorProductId: string): SlotApi | undefined {
    const found = this.#bays.get(slot)?.slot
    return found?.vendorProductId === vendorProductId ? found : undefined
  }

  /** Every slot in which there is a module, or was one since the start; by slot number. */
  inventory(): readonly SlotInventory[] {
    return [...this.#bays.values()].map((bay) => bay.inventory).sort((one, other) => one.slot - other.slot)
  }

  /** What the driver itself does not get on with, in one sentence; undefined: it makes progress. Modules that fail are none of it. */
  stuck(): string | undefined {
    for (const { stuck } of this.#bays.values()) if (stuck !== undefined) return stuck
    return undefined
  }

  #bay(number: number): Bay {
    const known = this.#bays.get(number)
    if (known !== undefined) return known
    const bay = new Bay(number, this.#bayOptions)
    this.#bays.set(number, bay)
    return bay
  }

  #follow(event: BackplaneEvent): void {
    switch (event.type) {
      case 'arrived':
        this.#background(this.#bay(event.slot).arrived(), event)
        break
      case 'left':
        this.#bays.get(event.slot)?.left('lost')
        break
      case 'restarting':
        this.#options.log.warn({}, 'the device restarts')
        this.#awaited.add([...this.#bays].flatMap(([number, bay]) => (bay.slot === undefined ? [] : [number])))
        this.#background(this.#endAll('restarting'), event)
        break
      case 'up':
        this.#driverSession = sessionIdentifier(this.#options.random)
        this.#awaited.startDeadline(SCAN_DEADLINE_MS)
        this.#options.log.info({}, 'the device is up')
        break
    }
  }

  async #endAll(reason: SlotEnd): Promise<void> {
    const bays = [...this.#bays.values()]
    for (const bay of bays) bay.left(reason)
    await Promise.all(bays.map((bay) => bay.closed))
  }

  /** Neither is known to fail; if one does, the log says so. */
  #background(work: Promise<unknown>, event: BackplaneEvent): void {
    work.catch((error: unknown) => this.#options.log.error({ event, err: error }, 'a backplane event could not be followed'))
  }
}

/** Modules that were usable when the device went down, and are not yet again. */
class AwaitedSlots {
  readonly #clock: Clock
  readonly #slots = new Set<number>()
  #timer: Timer | undefined

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Whether any is still awaited. */
  get any(): boolean {
    return this.#slots.size > 0
  }

  /** The device went down: these are to come back. */
  add(slots: Iterable<number>): void {
    this.#timer?.cancel()
    for (const slot of slots) this.#slots.add(slot)
  }

  /** The device is up: who is not back within `deadlineMs` is awaited no longer. */
  startDeadline(deadlineMs: number): void {
    this.#timer?.cancel()
    if (this.any) this.#timer = this.#clock.after(deadlineMs, () => this.clear())
  }

  returned(slot: number): void {
    this.#slots.delete(slot)
    if (!this.any) this.#timer?.cancel()
  }

  clear(): void {
    this.#slots.clear()
    this.#timer?.cancel()
  }
}
