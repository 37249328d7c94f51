import {
  type BackplaneEvent,
  type BackplaneState,
  Listeners,
  Mutex,
  sessionIdentifier,
  type Timer,
  withDeadline,
} from '@slotwire/core'
import { HEARTBEAT_PERIOD_MS, MAX_HEARTBEAT_GAP_MS } from '../slot/heartbeat.ts'
import type { SlotApi, SlotEnd } from '../slot/slot.ts'
import { CLOSE_DEADLINE_MS } from '../slot/start-up.ts'
import { Bay, type BayOptions, type RackOptions } from './bay.ts'
import type { RackEvent, SlotInventory } from './slot-inventory.ts'

/** Longest time that a start, or the end of a restart, waits for modules, in milliseconds. Slower ones become usable later. */
export const SCAN_DEADLINE_MS = 3000

/** Longest time of a stop, in milliseconds: a little more than a link needs. Links of hung modules may wait for each other for longer. */
export const STOP_DEADLINE_MS = CLOSE_DEADLINE_MS + 100

/** At boot the kernel needs less time from one module to the next, in milliseconds. */
export const FIND_PAUSE_MS = 500

export type { RackOptions } from './bay.ts'

/** All usable modules of a device, while they come and go. */
export class Rack {
  readonly #options: BayOptions
  readonly #listeners: Listeners<RackEvent>
  readonly #bays = new Map<number, Bay>()
  readonly #closing = new Mutex()
  /** Modules that were usable before the device restarted, and are not yet again. */
  readonly #awaited = new Set<number>()
  #awaitedLimit: Timer | undefined
  #driverSession: string
  #unsubscribe: (() => void) | undefined
  #ready = false
  readonly #stopping = new AbortController()

  constructor(options: RackOptions) {
    this.#driverSession = sessionIdentifier(options.random)
    this.#listeners = new Listeners((err) => options.log.error({ err }, 'a listener of the rack failed'))
    this.#options = {
      ...options,
      heartbeatPhaseMs: HEARTBEAT_PERIOD_MS * options.random(),
      closeInTurn: (close) => this.#closeInTurn(close),
      onUp: (slot) => this.#awaited.delete(slot),
      onEvent: (event) => this.#listeners.emit(event),
    }
  }

  /** `driver_session` of the specification: new at every start of the driver or the device. */
  get driverSession(): string {
    return this.#driverSession
  }

  /** `restarting` until the modules that were usable before are usable again, at most `SCAN_DEADLINE_MS` longer than the device itself. */
  get state(): BackplaneState {
    return this.#awaited.size > 0 ? 'restarting' : this.#options.backplane.state
  }

  /** Whether all modules that were present at the start have been checked. */
  get ready(): boolean {
    return this.#ready
  }

  /** Starts to follow the backplane; resolves when each module that is present is usable, or found not to be. Call it once. */
  async start(): Promise<void> {
    const { backplane, clock } = this.#options
    this.#unsubscribe = backplane.subscribe((event) => this.#follow(event))
    const scan = Promise.all(backplane.present().map((number) => this.#bay(number).arrived()))
    await withDeadline(clock, SCAN_DEADLINE_MS, scan, 'not checked').catch(() => undefined)
    if (backplane.findsLater === true && this.#bays.size === 0) await this.#untilFound().catch(() => undefined)
    this.#ready = true
  }

  /** Waits for the first module, then until `FIND_PAUSE_MS` bring no other, at most `SCAN_DEADLINE_MS` in all. Rejects on a stop. */
  async #untilFound(): Promise<void> {
    const { clock } = this.#options
    const endMs = clock.now() + SCAN_DEADLINE_MS
    for (let known = -1; clock.now() < endMs && (known === 0 || known !== this.#bays.size); ) {
      known = this.#bays.size
      await clock.sleep(FIND_PAUSE_MS, this.#stopping.signal)
    }
  }

  /** Fails waiting and later requests with `stopping`. Running requests continue. */
  refuseWaiting(): void {
    for (const bay of this.#bays.values()) bay.slot?.refuseWaiting()
  }

  /** Gives up every module: pending requests fail with `stopping`. Resolves when the links are closed, or took too long. */
  async stop(): Promise<void> {
    this.#unsubscribe?.()
    this.#unsubscribe = undefined
    this.#stopping.abort()
    this.#awaitedLimit?.cancel()
    this.#awaited.clear()
    await withDeadline(this.#options.clock, STOP_DEADLINE_MS, this.#endAll('stopping'), 'not closed').catch(() => undefined)
  }

  /** The usable modules of one type, ordered by slot number. */
  usable(vendorProductId: string): SlotApi[] {
    return [...this.#bays.values()]
      .flatMap((bay) => bay.slot ?? [])
      .filter((slot) => slot.vendorProductId === vendorProductId)
      .sort((one, other) => one.slot - other.slot)
  }

  /** The module in a slot if it is usable and of that type. */
  find(slot: number, vendorProductId: string): SlotApi | undefined {
    const module = this.#bays.get(slot)?.slot
    return module?.vendorProductId === vendorProductId ? module : undefined
  }

  /** Calls `listener` with each event of the modules and the device until the returned function is called. */
  subscribe(listener: (event: RackEvent) => void): () => void {
    return this.#listeners.add(listener)
  }

  /** Every slot with a module now or since the start, ordered by number. */
  inventory(): readonly SlotInventory[] {
    return [...this.#bays.values()].map((bay) => bay.inventory).sort((one, other) => one.slot - other.slot)
  }

  /** One sentence about what is stuck in the driver; undefined while it makes progress. Failed modules do not count. */
  stuck(): string | undefined {
    for (const { stuck } of this.#bays.values()) if (stuck !== undefined) return stuck
    return undefined
  }

  async #closeInTurn(close: () => Promise<void>): Promise<void> {
    const end = await this.#closing.take()
    try {
      await close()
    } finally {
      void this.#allRun().then(end)
    }
  }

  /** Resolves when every usable module has acknowledged a heartbeat since now, or has had the time for it. */
  async #allRun(): Promise<void> {
    const { clock } = this.#options
    const sinceMs = clock.now()
    const isBehind = (): boolean => [...this.#bays.values()].some(({ slot }) => slot !== undefined && slot.lastRunMs < sinceMs)
    while (isBehind() && clock.now() - sinceMs < MAX_HEARTBEAT_GAP_MS) await clock.sleep(HEARTBEAT_PERIOD_MS)
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
        this.#listeners.emit({ type: 'restarting' })
        this.#awaitedLimit?.cancel()
        for (const [number, bay] of this.#bays) if (bay.slot !== undefined) this.#awaited.add(number)
        this.#background(this.#endAll('restarting'), event)
        break
      case 'up':
        this.#driverSession = sessionIdentifier(this.#options.random)
        this.#awaitedLimit = this.#options.clock.after(SCAN_DEADLINE_MS, () => this.#awaited.clear())
        this.#options.log.info({}, 'the device is up')
        this.#listeners.emit({ type: 'up' })
        break
    }
  }

  async #endAll(reason: SlotEnd): Promise<void> {
    const bays = [...this.#bays.values()]
    for (const bay of bays) bay.left(reason)
    await Promise.all(bays.map((bay) => bay.closed))
  }

  /** Neither can fail as far as we know; if one does, log it. */
  #background(work: Promise<unknown>, event: BackplaneEvent): void {
    work.catch((error: unknown) => this.#options.log.error({ event, err: error }, 'a backplane event could not be handled'))
  }
}
