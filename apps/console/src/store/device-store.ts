import { effect, type ReadonlySignal, signal } from '@preact/signals'
import { ClientError, type Inbox, isGap, type JournalRecord, moduleOf, type WatchUpdate } from '@slotwire/client'
import { extensionPaths } from '@slotwire/contract'
import { type Clock, isoTime } from '@slotwire/core'
import * as clients from '@slotwire/modules/clients'
import type { Clients, Device, EndpointName, InputFor, ModuleClientOf, ReplyTo, Service } from './device-types.ts'
import { PageLeases } from './drive.ts'
import { Link } from './link.ts'
import { Modules } from './modules.ts'
import { SharedReading } from './readings.ts'
import { Records } from './records.ts'
import { SentRequests } from './sent.ts'

const SECOND_MS = 1000
const MINUTE_MS = 60_000
/** So much of the history is read when the page is opened, in milliseconds; texts name it. */
const PAST_MS = 3_600_000
/** Status for what a token may not see. */
const FORBIDDEN = 403
const BENCH_TIME = '/slotwire/bench/time'
/** Beyond so many, values without a user are forgotten. */
const MAX_READINGS = 64

/** What the device says about itself. */
export interface About {
  /** Version of the server. */
  readonly version: string
  /** Whether the bench of a virtual device can be used from here. */
  readonly hasBench: boolean
  /** Whether the time of a virtual device stands still, as last read. */
  readonly isPaused: boolean
}

/** All that the page has about one device, fed by the client. Components read its signals, and never ask the device themselves. */
export class DeviceStore {
  /** Time of the clock, each second; for ages. */
  readonly now: ReadonlySignal<number>
  /** The same each minute; for what gets old slowly. */
  readonly minute: ReadonlySignal<number>
  readonly modules: Modules
  readonly records: Records = new Records((delayMs, run) => void this.clock.after(delayMs, run))
  readonly link: Link
  readonly drive: PageLeases
  /** What this page changed on a virtual device. */
  readonly sent: SentRequests
  readonly #about = signal<About | undefined>(undefined)
  readonly about: ReadonlySignal<About | undefined> = this.#about
  readonly #isRestarting = signal(false)
  /** Whether the whole device restarts now. */
  readonly isRestarting: ReadonlySignal<boolean> = this.#isRestarting
  readonly #warnings = signal<readonly string[]>([])
  /** What an operator must check, in the server's words. */
  readonly warnings: ReadonlySignal<readonly string[]> = this.#warnings
  readonly #hidden = signal<readonly Service[]>([])
  /** Services that this page may not see, with its access token. */
  readonly hidden: ReadonlySignal<readonly Service[]> = this.#hidden
  readonly #isHidden = signal(false)
  readonly #readings = new Map<string, SharedReading<unknown>>()
  readonly #kept = new Map<string, unknown>()
  #skewMs = Number.POSITIVE_INFINITY

  /** `wallTime`: the date of this browser, in milliseconds. `hasToken`: whether requests carry one. `onEnd`: the device refuses this client from now on. */
  constructor(
    readonly device: Device,
    readonly clock: Clock,
    readonly wallTime: () => number,
    readonly hasToken: boolean,
    private readonly onEnd: (error: unknown) => void,
  ) {
    this.now = ticker(this.clock, SECOND_MS)
    this.minute = ticker(this.clock, MINUTE_MS)
    this.modules = new Modules(device, this.clock, this.wallTime)
    this.link = new Link(device, this.clock, this.wallTime)
    this.drive = new PageLeases(device, this.clock, this.modules.state)
    this.sent = new SentRequests(() => (this.#about.peek()?.hasBench === true ? device.extension(BENCH_TIME) : undefined))
    // A request to the bench may have paused the time.
    effect(() => {
      if (this.sent.list.value.length > 0) void this.#readAbout()
    })
    effect(() => device.context.live.rest(this.#isHidden.value && this.drive.state.value.step === 'off'))
    void this.#followRecords()
    void this.#followWarnings()
    if (this.hasToken) void this.#lookForHidden()
    this.modules.refresh()
    void this.#readPast()
    this.link.state.subscribe(({ isConnected }) => {
      if (isConnected) this.modules.refresh()
    })
  }

  /** The client of a module. It stays usable while the module is not there: then its calls reject. */
  module<S extends Service>(service: S, slot: number): ModuleClientOf<S> {
    const type: Clients[S] = clients[service]
    return moduleOf(this.device.context, type, slot)
  }

  /** A value for all components that show it. It is read while one of them uses it: prefer `useReading`. */
  reading<S extends Service, N extends EndpointName<S>>(
    service: S,
    slot: number,
    name: N,
    ...args: InputFor<S, N>
  ): SharedReading<ReplyTo<S, N>> {
    const key = `${service}/${slot}/${name} ${JSON.stringify(args)}`
    const shared = this.#readings.get(key)
    if (shared !== undefined) return shared as SharedReading<ReplyTo<S, N>>
    if (this.#readings.size >= MAX_READINGS)
      for (const [other, { isUsed }] of this.#readings) if (!isUsed) this.#readings.delete(other)
    // The types of the contracts are checked at the callers; here the service is any of them.
    const module = this.module(service, slot) as unknown as {
      watch(...args: readonly unknown[]): Inbox<WatchUpdate<ReplyTo<S, N>>>
    }
    const watch = (every: number, end: AbortSignal) => module.watch(name, ...args, { every, signal: end })
    const reading = new SharedReading(watch, this.clock, this.link, this.now)
    this.#readings.set(key, reading)
    return reading
  }

  /** What a page keeps while another is shown, made at the first use: the course of a value, for example. One for each slot at most. */
  kept<Kept>(key: string, make: () => Kept): Kept {
    const value = this.#kept.get(key)
    if (value !== undefined) return value as Kept
    const created = make()
    this.#kept.set(key, created)
    return created
  }

  /** When a record happened, as a date of this browser, whose clock may differ from that of the device. In milliseconds. */
  wallTimeOf(record: JournalRecord): number {
    return Date.parse(String(record['at'])) + (Number.isFinite(this.#skewMs) ? this.#skewMs : 0)
  }

  /** The page was hidden, or is visible again. A hidden page that does not drive has no event stream: a browser allows few connections. */
  setHidden(isHidden: boolean): void {
    this.#isHidden.value = isHidden
    this.drive.setHidden(isHidden)
  }

  /** Ends everything. */
  close(): Promise<void> {
    return this.device.close()
  }

  async #followRecords(): Promise<void> {
    try {
      const events = this.device.events()
      // What changed before its first record was not heard of.
      void events.ready.then(() => this.modules.refresh())
      for await (const entry of events) {
        this.link.heard()
        if (isGap(entry)) void this.#readPast()
        else this.modules.hear(entry)
        if (!isGap(entry) && entry.kind === 'device') this.#isRestarting.value = entry['state'] === 'restarting'
        // The record with the shortest way shows the difference of the clocks best.
        if (!isGap(entry)) this.#skewMs = Math.min(this.#skewMs, this.wallTime() - Date.parse(String(entry['at'])))
        this.records.add(entry)
        this.modules.refresh()
      }
    } catch (error) {
      this.onEnd(error)
    }
  }

  /** What happened before the first record of the stream. A server without history only lacks that. */
  async #readPast(): Promise<void> {
    const past: JournalRecord[] = []
    try {
      const since = isoTime(this.wallTime() - PAST_MS)
      for await (const record of this.device.history({ since, kinds: ['alert', 'device', 'module', 'protection'] }))
        past.push(record)
    } catch {
      return
    }
    this.records.addPast(past)
    this.modules.hearPast(past)
    this.#isRestarting.value ||= past.findLast(({ kind }) => kind === 'device')?.['state'] === 'restarting'
  }

  async #readAbout(): Promise<void> {
    const about = await this.device.extension(extensionPaths.about).catch(() => undefined)
    const bench = await this.device.extension(BENCH_TIME).catch(() => undefined)
    const version = (about as { readonly version?: string } | undefined)?.version ?? ''
    this.#about.value = {
      version,
      hasBench: bench !== undefined,
      isPaused: (bench as { readonly pace?: number } | undefined)?.pace === 0,
    }
  }

  async #lookForHidden(): Promise<void> {
    for (const service of Object.keys(clients) as Service[])
      await this.device.context.sessions.refresh(service).catch((error: unknown) => {
        if (error instanceof ClientError && error.status === FORBIDDEN) this.#hidden.value = [...this.#hidden.peek(), service]
      })
  }

  async #followWarnings(): Promise<void> {
    const { closing } = this.device.context.http
    while (!closing.aborted) {
      // Another page may have paused the time.
      void this.#readAbout()
      // While the device restarts there is no answer: the restart itself is shown.
      const ready = await this.device.extension(extensionPaths.readyz).catch(() => undefined)
      this.#warnings.value = (ready as { readonly warnings?: readonly string[] } | undefined)?.warnings ?? []
      await this.clock.sleep(MINUTE_MS, closing).catch(() => undefined)
    }
  }
}

/** The time of the clock in milliseconds, every `everyMs`. Runs only while something on the page shows it. */
function ticker(clock: Clock, everyMs: number): ReadonlySignal<number> {
  let timer: { cancel(): void } | undefined
  const time = signal(clock.now(), {
    watched: () => {
      time.value = clock.now()
      arm()
    },
    unwatched: () => timer?.cancel(),
  })
  const arm = (): void => {
    timer = clock.after(everyMs, () => {
      time.value = clock.now()
      arm()
    })
  }
  return time
}
