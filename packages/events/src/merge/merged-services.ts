import { extensionPaths } from '@slotwire/contract'
import {
  type Clock,
  isoTime,
  isRecord,
  type Log,
  type Random,
  type StreamMessage,
  type Timer,
  type WallTime,
} from '@slotwire/core'
import type { Caller, ReadWatched } from '@slotwire/service'
import type { StateDocument } from '../feed/state-route.ts'
import type { Journal } from '../journal.ts'
import { formatPosition } from '../position.ts'
import { isRecordKind } from '../record.ts'
import { seesService } from '../scope.ts'
import { getJson } from './upstream-get.ts'
import { UpstreamStream } from './upstream-stream.ts'

/** The state of a service is read again so long after a record that may have changed it. */
const STATE_DELAY_MS = 100
const MS_PER_SECOND = 1000

const NOTHING: Upstream['state'] = { modules: [], leases: [] }

export interface MergedServicesOptions {
  readonly journal: Journal
  /** Addresses of services in other processes, by name. */
  readonly upstreams: Readonly<Record<string, string>>
  readonly clock: Clock
  readonly wallTime: WallTime
  readonly random: Random
  readonly log: Log
}

/** Services in another process, at one address. */
interface Upstream {
  readonly services: readonly string[]
  readonly address: string
  readonly stream: UpstreamStream
  /** A `hello` that follows a `gap` is no further loss. */
  hasGap: boolean
  state: Pick<StateDocument, 'modules' | 'leases'>
  /** When the service reported its state. */
  stateMs: number
  timer: Timer | undefined
}

/**
 * Adds what happens in services of other processes to the journal of this one, with new numbers and the original id as `origin`. A forwarded
 * write is recorded by its service alone, so it is one record.
 */
export class MergedServices {
  readonly #options: MergedServicesOptions
  readonly #upstreams: readonly Upstream[]

  constructor(options: MergedServicesOptions) {
    this.#options = options
    const { upstreams } = options
    const addresses = [...new Set(Object.values(upstreams))]
    this.#upstreams = addresses.map((address) =>
      this.#follow(
        address,
        Object.keys(upstreams).filter((name) => upstreams[name] === address),
      ),
    )
  }

  /** The state of this process with the modules and leases of the others, as they last reported them. */
  state(own: StateDocument, caller: Caller | undefined): StateDocument {
    const modules = this.#upstreams.flatMap(({ state }) => state.modules.filter(({ service }) => seesService(caller, service)))
    const seen = this.#upstreams.filter(({ services }) => services.every((service) => seesService(caller, service)))
    const all = [...own.modules, ...modules].sort((a, b) => a.slot - b.slot)
    const { clock, wallTime } = this.#options
    const aged = ({ state, stateMs }: Upstream) =>
      state.leases.map((lease) => agedLease(lease, clock.now() - stateMs, wallTime()))
    const leases = seen.flatMap(aged)
    return { ...own, modules: all, leases: [...own.leases, ...leases] }
  }

  /** Reads a value of a service in another process; undefined: the service is not one of these. */
  reader(service: string): ReadWatched | undefined {
    const upstream = this.#upstreams.find(({ services }) => services.includes(service))
    if (upstream === undefined) return undefined
    return ({ path }) => getJson(upstream.address, `/api/${path.replace('/', '/1.0/')}`, this.#options.clock)
  }

  close(): void {
    for (const { stream, timer } of this.#upstreams) {
      stream.close()
      timer?.cancel()
    }
  }

  #follow(address: string, services: readonly string[]): Upstream {
    const { clock, random, log } = this.#options
    const [service = ''] = services
    const onMessage = (message: StreamMessage): void => this.#take(upstream, message)
    // A service that cannot be reached has no usable module.
    const onFollowed = (isFollowed: boolean): void => {
      if (isFollowed) return this.#refresh(upstream)
      upstream.timer?.cancel()
      upstream.timer = undefined
      this.#setState(upstream, NOTHING)
    }
    const upstream: Upstream = {
      services,
      address,
      stream: new UpstreamStream({ service, address, clock, random, log, onMessage, onFollowed }),
      hasGap: false,
      state: NOTHING,
      stateMs: 0,
      timer: undefined,
    }
    return upstream
  }

  #take(upstream: Upstream, { data }: StreamMessage): void {
    const { kind, state, missing } = data
    if (kind === 'gap') this.#addGap(upstream, typeof missing === 'number' ? missing : null)
    else if (kind === 'hello') {
      // The first one: what happened while this process was away is unknown.
      if (!upstream.hasGap) this.#addGap(upstream, null)
      upstream.hasGap = false
      this.#setState(upstream, state)
    } else if (isRecordKind(kind)) {
      this.#add(upstream, kind, data)
      if (kind !== 'alert') this.#refresh(upstream)
    }
  }

  #add(
    { services: [first], services }: Upstream,
    kind: Parameters<Journal['add']>[0]['kind'],
    data: StreamMessage['data'],
  ): void {
    const { id, up_ms: _up, service, modules, origin, ...fields } = data
    const places = Array.isArray(modules) ? modules.filter(isRecord) : undefined
    const isOther = (place: Readonly<Record<string, unknown>>): boolean =>
      typeof place['service'] === 'string' && !services.includes(place['service'])
    // One with an origin is from a gateway, which may be this one.
    if (origin !== undefined || [data, ...(places ?? [])].some(isOther)) return
    this.#options.journal.add({
      ...fields,
      kind,
      ...(typeof service === 'string' ? { service } : {}),
      ...(places === undefined ? {} : { modules: places }),
      origin: `${first}:${String(id)}`,
    })
  }

  /** A gap has a number of its own, which stands for all that is lost. */
  #addGap(upstream: Upstream, missing: number | null): void {
    const { journal } = this.#options
    const { boot, sequence } = journal.last
    const id = formatPosition({ boot, sequence: sequence + 1 })
    const [service, other] = upstream.services
    upstream.hasGap = true
    journal.add({ kind: 'gap', ...(service === undefined || other !== undefined ? {} : { service }), from: id, to: id, missing })
  }

  #refresh(upstream: Upstream): void {
    const { clock, log } = this.#options
    upstream.timer ??= clock.after(STATE_DELAY_MS, () => {
      upstream.timer = undefined
      getJson(upstream.address, extensionPaths.state, clock).then(
        (state) => this.#setState(upstream, state),
        (err: unknown) => log.debug({ err, service: upstream.services[0] }, 'the state of a service cannot be read'),
      )
    })
  }

  #setState(upstream: Upstream, state: unknown): void {
    if (!isState(state)) return
    const modules = state.modules.filter(({ service }) => upstream.services.includes(service))
    upstream.state = { modules, leases: state.leases }
    upstream.stateMs = this.#options.clock.now()
  }
}

/** A service is asked again when something has changed: a lease only gets older, whatever the date. */
function agedLease(lease: Readonly<Record<string, unknown>>, ageMs: number, date: number): object {
  if (typeof lease['seconds_left'] !== 'number') return lease
  const leftMs = Math.max(0, lease['seconds_left'] * MS_PER_SECOND - ageMs)
  return { ...lease, expires_at: isoTime(date + leftMs), seconds_left: Math.ceil(leftMs / MS_PER_SECOND) }
}

/** Another version may send other fields: only what is used here counts. */
function isState(value: unknown): value is Upstream['state'] {
  if (!isRecord(value)) return false
  const { modules, leases } = value
  return (
    Array.isArray(modules) &&
    modules.every((each) => isRecord(each) && typeof each['slot'] === 'number') &&
    Array.isArray(leases) &&
    leases.every(isRecord)
  )
}
