import { extensionPaths, type StateDocument } from '@slotwire/contract'
import { type Clock, isRecord, type Listeners, type Random, SystemClock, systemRandom } from '@slotwire/core'
import { ClientError, notServed } from './client-error.ts'
import { type Call, type CallOptions, HttpClient } from './http-client.ts'
import type { MakeSource } from './live/feed.ts'
import { type HistoryOptions, history, isPast, isRecords, type Past, readState } from './live/history.ts'
import type { Inbox } from './live/inbox.ts'
import { Lease, type LeaseOptions } from './live/lease.ts'
import { type ConnectionChange, type JournalRecord, Live, type RecordFilter } from './live/live.ts'
import type { Interval } from './live/values.ts'
import { type ModuleClient, type ModuleContext, type ModuleOf, moduleOf } from './module.ts'
import { type DuringSetup, type SessionChange, Sessions, type SetupResult } from './sessions.ts'
import { baseUrl, fetchTransport, type InProcess, type Transport, twinTransport } from './transport.ts'

export interface ConnectOptions {
  /** An access token; a program on the device itself needs none. */
  readonly token?: string | undefined
  /** Milliseconds for each call with all its repetitions; 10,000 by default. */
  readonly deadlineMs?: number | undefined
  /** What writes do while the setup of their module runs again: wait for it (default), or fail. */
  readonly duringSetup?: DuringSetup | undefined
  readonly signal?: AbortSignal | undefined
  /** Called before a call is sent again, with the reason. What it throws ends the call. */
  readonly onRetry?: ((error: ClientError) => void) | undefined
  /** The secret of a lease that another program took: writes carry it. */
  readonly leaseSecret?: string | undefined
  /** In place of `fetch`. */
  readonly transport?: Transport | undefined
  /** Makes its event stream: for a program that begins after a record that it has, for example. */
  readonly source?: MakeSource | undefined
  readonly clock?: Clock | undefined
  readonly random?: Random | undefined
}

/** How to find a module, besides by its slot. */
export interface ModuleSelector {
  /** `serial_code` of its descriptor. */
  readonly serial?: string
  /** `vendor_product_id` of its descriptor. */
  readonly type?: string
}

/** A module that is there. */
export interface PresentModule {
  readonly slot: number
  readonly service: string
  readonly session: string
}

/** A module after all were switched off. `leased`: left alone, `holder` has the slot; `silent`: it does not answer. */
export interface OffModule {
  readonly slot: number
  readonly service: string
  readonly result: 'off' | 'leased' | 'silent'
  readonly holder?: string
}

export interface DeviceEvents {
  readonly session: SessionChange
  readonly setup: SetupResult
  readonly connection: ConnectionChange
}

type Types = Readonly<Record<string, ModuleClient>>
/** What `pin` of a module gives. */
type PinOf<T extends Types> = {
  [S in keyof T]: ModuleOf<T[S]> extends { pin(number: number): infer Pin } ? Pin : never
}[keyof T]
/** A device with one function for each of its services: `device.io(3)`. Without a slot: the only module of that service. */
export type DeviceOf<T extends Types> = { pin(name: string, options?: CallOptions): Promise<PinOf<T>> } & Device<T> & {
    readonly [Service in keyof T]: (slot?: number) => ModuleOf<T[Service]>
  }

const DEADLINE_MS = 10_000

/** The client of one device: its modules, and what concerns all of them. */
export class Device<T extends Types = Types> {
  /** What `/slotwire/` of the server is used for; false on other servers. */
  readonly extensions: boolean
  readonly context: ModuleContext
  readonly #leases = new Set<Lease>()
  readonly #types: T

  constructor(context: ModuleContext, types: T) {
    this.context = context
    this.extensions = context.http.extensions
    this.#types = types
  }

  /** The modules that are there, as last seen, by slot. */
  get modules(): readonly PresentModule[] {
    return this.context.sessions.present.map(({ slot, service, session = '' }) => ({ slot, service, session }))
  }

  /** The module in a slot, or the only one of its service. Throws `not-found` if no module, or more than one, fits; or why they are not known. */
  module<S extends keyof T & string>(service: S, slot?: number): ModuleOf<T[S]> {
    const modules = this.modules.filter((module) => module.service === service)
    const failure = this.context.sessions.failureOf(service)
    if (modules.length === 0 && failure instanceof ClientError) throw failure
    const at = slot ?? (modules.length === 1 ? modules[0]?.slot : undefined)
    if (at === undefined || !modules.some((module) => module.slot === at)) {
      const present =
        modules.length === 0 ? 'it has none' : `it has ${service} in slot ${modules.map((module) => module.slot).join(', ')}`
      const requirement = slot === undefined ? `one ${service} module` : `${service} in slot ${slot}`
      throw new ClientError(`the device must have ${requirement}: ${present}`, { kind: 'not-found', canRetry: true })
    }
    return moduleOf(this.context, this.#types[service] as T[S], at)
  }

  /** The pin with this name of the operator, in any case. Rejects with `not-found` and the names that there are. */
  async pin(name: string, options: CallOptions = {}): Promise<unknown> {
    const { modules } = await this.state(options)
    const named = modules.flatMap(({ service, pins = [] }) => pins.map((pin) => ({ service, ...pin })))
    const match = named.find((pin) => pin.name.toLowerCase() === name.toLowerCase())
    if (match !== undefined)
      return (this.module(match.service, match.slot) as unknown as { pin(of: number): unknown }).pin(match.pin)
    const names = named.map((pin) => pin.name).join(', ') || 'none'
    throw new ClientError(`no pin is named ${name}: there are ${names}`, { kind: 'not-found' })
  }

  /** Finds a module by its serial number or type. Rejects with `not-found` if none or several fit. */
  async find<S extends keyof T & string>(
    service: S,
    selector: ModuleSelector,
    options: CallOptions = {},
  ): Promise<ModuleOf<T[S]>> {
    const candidates = this.modules.filter((module) => module.service === service)
    const answers = await Promise.allSettled(candidates.map(({ slot }) => this.module(service, slot).descriptor(options)))
    const descriptors = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []))
    const fitting = descriptors.filter(
      ({ serial_code, vendor_product_id }) =>
        (selector.serial ?? serial_code) === serial_code && (selector.type ?? vendor_product_id) === vendor_product_id,
    )
    const [only] = fitting
    const failed = answers.find((answer) => answer.status === 'rejected')
    // A module that does not answer is not the one with this serial number. It may be another one of the type.
    if (failed !== undefined && (only === undefined || selector.serial === undefined)) throw failed.reason
    if (only !== undefined && fitting.length === 1) return this.module(service, only.slot_number)
    const all = descriptors.map(
      (descriptor) => `${descriptor.serial_code} (${descriptor.vendor_product_id}, slot ${descriptor.slot_number})`,
    )
    const text = `${fitting.length} ${service} modules fit ${JSON.stringify(selector)}, 1 must: there are ${all.join(', ') || 'none'}`
    throw new ClientError(text, { kind: 'not-found', canRetry: true })
  }

  /** Calls `listener` when a module has a new session, a setup ended, or the event stream is lost or back. Returns a function that ends it. */
  on<Event extends keyof DeviceEvents>(event: Event, listener: (detail: DeviceEvents[Event]) => void): () => void {
    const { sessions, live } = this.context
    sessions.look()
    const events = { session: sessions.changes, setup: sessions.setups, connection: live.changes } as const
    return (events[event] as unknown as Listeners<DeviceEvents[Event]>).add(listener)
  }

  /** The records of the journal from now on: alerts, writes of all clients, modules that come and go; docs/guide/events.md. */
  events(filter: RecordFilter & { readonly signal?: AbortSignal } = {}): Inbox<JournalRecord> {
    return this.context.live.events(filter, filter.signal)
  }

  /** What happened before, oldest first, from the device's disk. */
  history(options: HistoryOptions = {}): AsyncGenerator<JournalRecord, void, undefined> {
    return history((path, call) => this.extension(path, call), options)
  }

  /** The numbers that a read gave before, to any client: `io/3/input/values`. `since`: milliseconds, or as in `10m`. */
  async past(watch: string, { since = '1h', ...options }: CallOptions & { readonly since?: Interval } = {}): Promise<Past> {
    const query = new URLSearchParams({ watch, since: typeof since === 'number' ? `${since}ms` : since })
    return (await this.extension(`${extensionPaths.past}?${query.toString()}`, { ...options, accepts: isPast })) as Past
  }

  /** The state that the modules acknowledged last, and the leases: what the specification cannot read back. */
  state(options: CallOptions = {}): Promise<StateDocument> {
    return readState(this.context.http, options)
  }

  /** Makes this client the only writer of some slots, until it gives the lease back or closes. */
  async lease(slots: readonly number[], options: LeaseOptions): Promise<Lease> {
    const lease = await Lease.take(this.context.http, this.context.secrets, slots, options)
    this.#leases.add(lease)
    return lease
  }

  /**
   * Switches off: resets all io modules at once, ahead of all requests. Leaves slots alone that others leased, unless `force`. The answer
   * says of each module whether it is off.
   */
  async off({ force = false, ...options }: CallOptions & { readonly force?: boolean } = {}): Promise<readonly OffModule[]> {
    if (!this.extensions) throw notServed('/slotwire/off')
    const { http, secrets, leaseSecret } = this.context
    const headers = { 'slotwire-lease': [...secrets.values(), leaseSecret].join() }
    const accepts = (answer: unknown): boolean => isRecord(answer) && isRecords(answer['modules'])
    const call = { ...options, method: 'POST', path: extensionPaths.off, body: { force }, headers, idempotent: true, accepts }
    return ((await http.request(call)) as { readonly modules: readonly OffModule[] }).modules
  }

  /** A read below `/slotwire/`. Rejects with `not-found` on a server without it. */
  extension(path: string, options: CallOptions & Pick<Call, 'accepts'> = {}): Promise<unknown> {
    return this.context.http.extension(path, options)
  }

  /** Gives the leases back, and ends all calls, readers and setups of this client. Without it the process stays alive. */
  async close(): Promise<void> {
    await Promise.allSettled([...this.#leases].map((lease) => lease.release()))
    this.context.http.close()
  }
}

/** Connects to a device: reads the versions and modules of its services, and refuses versions that it does not know. */
export async function connectWith<const T extends Types>(
  types: T,
  address: string | URL | InProcess,
  options: ConnectOptions = {},
): Promise<DeviceOf<T>> {
  const streams = typeof address === 'string' || address instanceof URL
  const transport = streams ? (options.transport ?? fetchTransport(baseUrl(address), globalThis.fetch)) : twinTransport(address)
  const { clock = new SystemClock(), random = systemRandom, deadlineMs = DEADLINE_MS, token, onRetry, signal } = options
  const at = streams ? { address: baseUrl(address).origin } : {}
  const http = new HttpClient({ transport, clock, random, deadlineMs, token, onRetry, streams, ...at })
  const contracts = Object.values(types).map(({ contract }) => contract)
  const sessions = new Sessions(http, contracts, options.duringSetup ?? 'wait')
  try {
    const roots = await Promise.allSettled(contracts.map(({ service }) => sessions.refresh(service, { signal })))
    const contract = contracts.find((_, index) => roots[index]?.status === 'fulfilled' && roots[index].value !== undefined)
    const failures = roots.filter((root) => root.status === 'rejected')
    const isVersion = ({ reason }: PromiseRejectedResult): boolean => reason instanceof ClientError && reason.kind === 'version'
    const failure = failures.find(isVersion) ?? (contract === undefined ? failures[0] : undefined)
    if (failure !== undefined) throw failure.reason
    if (contract === undefined)
      throw new ClientError('the server has no service of the specification: check the address', { kind: 'not-found' })
    http.extensions = await hasExtensions(http, { signal }, () => sessions.refresh(contract.service, { signal }))
  } catch (error) {
    http.close()
    throw error
  }
  const live = new Live(http, sessions, options.source)
  const device = new Device({ http, sessions, live, secrets: new Map(), leaseSecret: options.leaseSecret }, types)
  const services = Object.keys(types).map((service) => [service, (slot?: number) => device.module(service, slot)])
  return Object.assign(device, Object.fromEntries(services)) as DeviceOf<T>
}

/** `readAgain` rejects if the server cannot be reached at all. */
async function hasExtensions(http: HttpClient, options: CallOptions, readAgain: () => Promise<unknown>): Promise<boolean> {
  try {
    const about = await http.request({ ...options, method: 'GET', path: extensionPaths.about, safe: true })
    return isRecord(about) && about['name'] === 'slotwire'
  } catch (error) {
    // Without `If-Match` and events only if the server has none: not because it restarts just now.
    if (!(error instanceof ClientError) || (error.kind === 'restarting' && error.code !== undefined)) throw error
    if (error.status === undefined) await readAgain()
    return false
  }
}
