import { type BackplaneEvent, type BackplaneState, sessionIdentifier, type Timer } from '@slotwire/core'
import { withDeadline } from '../deadline.ts'
import type { SlotEnd } from '../slot/slot.ts'
import type { SlotApi } from '../slot/slot-api.ts'
import { Bay, type BayOptions, type RackOptions } from './bay.ts'
import type { SlotInventory } from './slot-inventory.ts'

/** Longest that a start, or the end of a restart, waits for the modules, in milliseconds; who is slower comes up later. */
export const SCAN_DEADLINE_MS = 3000

export type { RackOptions } from './bay.ts'

/** All usable modules of a device, as they come and go. */
export class Rack {
  readonly #options: BayOptions
  readonly #bays = new Map<number, Bay>()
  /** Modules that were usable when the device went down, and are not yet again. */
  readonly #awaited = new Set<number>()
  #awaitedLimit: Timer | undefined
  #driverSession: string
  #unsubscribe: (() => void) | undefined
  #ready = false

  constructor(options: RackOptions) {
    this.#driverSession = sessionIdentifier(options.random)
    this.#options = { ...options, onUp: (slot) => this.#awaited.delete(slot) }
  }

  /** `driver_session` of the specification: new at every start, of the driver or of the device. */
  get driverSession(): string {
    return this.#driverSession
  }

  /** `restarting` until the modules that were usable before are so again, at most `SCAN_DEADLINE_MS` longer than the device itself. */
  get state(): BackplaneState {
    return this.#awaited.size > 0 ? 'restarting' : this.#options.backplane.state
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
    await withDeadline(clock, SCAN_DEADLINE_MS, scan, 'not looked at').catch(() => undefined)
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
    this.#awaitedLimit?.cancel()
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
    const bay = new Bay(number, this.#options)
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
        this.#awaitedLimit?.cancel()
        for (const [number, bay] of this.#bays) if (bay.slot !== undefined) this.#awaited.add(number)
        this.#background(this.#endAll('restarting'), event)
        break
      case 'up':
        this.#driverSession = sessionIdentifier(this.#options.random)
        this.#awaitedLimit = this.#options.clock.after(SCAN_DEADLINE_MS, () => this.#awaited.clear())
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
