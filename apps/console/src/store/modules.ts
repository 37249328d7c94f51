import { computed, type ReadonlySignal, signal } from '@preact/signals'
import type { JournalRecord } from '@slotwire/client'
import type { StateDocument } from '@slotwire/contract'
import { type Clock, isRecord } from '@slotwire/core'
import * as clients from '@slotwire/modules/clients'
import type { Descriptor, Device, ModuleView, Service } from './device-types.ts'

/** Two reads of the state have at least so much between them, in milliseconds. */
const STATE_PAUSE_MS = 200
/** A new session so long before this page was opened is shown, too, in milliseconds. */
const NEW_SINCE_MS = 300_000

/** A module whose settings are lost since this page knows it: it has another session, or it left. */
export interface SessionNotice {
  readonly slot: number
  readonly service: string
  readonly what: 'new-session' | 'left'
  /** The date in milliseconds. */
  readonly at: number
  /** Its states in the sessions that ended, newest first, until the user has seen it. */
  readonly lost: readonly Readonly<Record<string, unknown>>[]
}

/** Most ended sessions in one notice. */
const MAX_LOST = 4

/** The modules of the device, with their states and descriptors. */
export class Modules {
  /** By slot. */
  readonly list: ReadonlySignal<readonly ModuleView[]> = computed(() =>
    (this.#state.value?.modules ?? []).filter(isKnown).map((module) => ({
      ...module,
      state: module.state as Readonly<Record<string, unknown>>,
      descriptor: this.#descriptors.value.get(module.session),
    })),
  )
  readonly #state = signal<StateDocument | undefined>(undefined)
  readonly state: ReadonlySignal<StateDocument | undefined> = this.#state
  readonly #notices = signal<ReadonlyMap<number, SessionNotice>>(new Map())
  /** At most one for each slot, until the user has seen it. */
  readonly notices: ReadonlySignal<ReadonlyMap<number, SessionNotice>> = this.#notices
  /** By session: the serial number of a slot changes with its module. Bounded by the slots. */
  readonly #descriptors = signal<ReadonlyMap<string, Descriptor>>(new Map())
  readonly #hung = signal<ReadonlyMap<number, string>>(new Map())
  /** Services of modules that do not answer, by slot. */
  readonly hung: ReadonlySignal<ReadonlyMap<number, string>> = this.#hung
  /** Sessions whose descriptor must be read again. */
  readonly #outdated = new Set<string>()
  #isDue = false
  #readMs = Number.NEGATIVE_INFINITY
  #reads = 0
  /** Number of the read that is shown. */
  #shown = 0

  constructor(
    private readonly device: Device,
    private readonly clock: Clock,
    private readonly wallTime: () => number,
  ) {}

  /** What happened before this page was opened: modules that hang or are gone, and new sessions of the last minutes. */
  hearPast(records: readonly JournalRecord[]): void {
    const notices = new Map<number, SessionNotice>()
    for (const record of records) {
      this.hear(record)
      const { kind, event } = record
      if (kind !== 'module') continue
      const [slot, service, at] = [Number(record['slot']), String(record['service']), Date.parse(String(record['at']))]
      const isNew = event === 'session' || (event === 'arrived' && notices.has(slot))
      notices.delete(slot)
      if (event === 'left') notices.set(slot, { slot, service, what: 'left', at, lost: [] })
      else if (isNew && at > this.wallTime() - NEW_SINCE_MS)
        notices.set(slot, { slot, service, what: 'new-session', at, lost: [] })
    }
    this.#notices.value = new Map([...notices, ...this.#notices.peek()])
  }

  /** A record of the journal arrived. */
  hear({ kind, slot, service, event, endpoint, session }: JournalRecord): void {
    if (typeof slot !== 'number') return
    if (kind === 'module') {
      const others = [...this.#hung.peek()].filter(([of]) => of !== slot)
      if (event === 'hung' || others.length < this.#hung.peek().size)
        this.#hung.value = new Map(event === 'hung' ? [...others, [slot, String(service)]] : others)
    }
    // The descriptor shows what is granted.
    if (typeof session === 'string' && (kind === 'power' || endpoint === 'reset')) this.#outdated.add(session)
  }

  /** The user has seen that the settings of a slot are lost. */
  dismiss(slot: number): void {
    this.#notices.value = new Map([...this.#notices.peek()].filter(([of]) => of !== slot))
  }

  /** Reads the state soon: several calls share a read. */
  refresh(): void {
    if (this.#isDue) return
    this.#isDue = true
    const waitMs = Math.max(0, this.#readMs + STATE_PAUSE_MS - this.clock.now())
    this.clock.after(waitMs, () => void this.#read())
  }

  async #read(): Promise<void> {
    this.#isDue = false
    this.#readMs = this.clock.now()
    const read = ++this.#reads
    const state = await this.device.state().catch(() => undefined)
    // Answers may arrive in another order.
    if (state === undefined || read < this.#shown || this.device.context.http.closed) return
    this.#shown = read
    this.#compare(state)
    this.#state.value = state
    await Promise.all(state.modules.filter(isKnown).map((module) => this.#describe(module)))
  }

  /** Gives the sessions to the client, whose writes name them, and notes what is lost. */
  #compare({ modules }: StateDocument): void {
    const { sessions } = this.device.context
    const before = this.#state.peek()?.modules ?? []
    const notices = new Map(this.#notices.peek())
    const note = (slot: number, service: string, what: SessionNotice['what'], state?: unknown): void => {
      const older = notices.get(slot)
      const lost = [...(isRecord(state) ? [state] : []), ...(older?.service === service ? older.lost : [])].slice(0, MAX_LOST)
      notices.set(slot, { slot, service, what, at: this.wallTime(), lost })
    }
    for (const { slot, service, session, state } of before)
      if (!modules.some((module) => module.slot === slot && module.service === service)) {
        if (sessions.at(slot, service).session === session) sessions.seen(slot, service, undefined)
        note(slot, service, 'left', state)
      }
    for (const { slot, service, session } of modules) {
      sessions.seen(slot, service, session)
      const earlier = before.find((module) => module.slot === slot)
      const isBack = earlier === undefined && notices.get(slot)?.what === 'left'
      if (isBack) note(slot, service, 'new-session')
      else if (earlier !== undefined && earlier.session !== session) note(slot, service, 'new-session', earlier.state)
    }
    this.#notices.value = notices
  }

  async #describe({ slot, service, session }: Pick<ModuleView, 'slot' | 'service' | 'session'>): Promise<void> {
    if (!this.#outdated.delete(session) && this.#descriptors.peek().has(session)) return
    try {
      const descriptor = await this.device.module(service, slot).descriptor()
      const present = new Set(this.#state.peek()?.modules.map((module) => module.session))
      const others = [...this.#descriptors.peek()].filter(([of]) => present.has(of) && of !== session)
      this.#descriptors.value = new Map([...others, [session, descriptor]])
    } catch {
      // The next read of the state tries again.
    }
  }
}

function isKnown<M extends { readonly service: string }>(module: M): module is M & { readonly service: Service } {
  return module.service in clients
}
