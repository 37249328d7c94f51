import {
  type Contract,
  extensionPaths,
  formatPosition,
  type NamedPin,
  namedPin,
  pinsAt,
  type StateDocument,
} from '@slotwire/contract'
import { type Clock, messageOf, type Timer } from '@slotwire/core'
import { type PowerDecision, type Rack, type RackEvent, type SlotApi, SlotNeeded } from '@slotwire/driver'
import {
  type Caller,
  type HandlerContext,
  jsonText,
  type MetricFamily,
  type ModuleObserver,
  type ModuleService,
  type Routes,
  sendJson,
  type WriteRecord,
} from '@slotwire/service'
import type { Journal } from '../journal.ts'
import { seesService } from '../query.ts'
import { type JournalRecord, type NewRecord, type RecordKind, recordKinds } from '../record.ts'
import { type KnownModule, ModuleStates } from './module-states.ts'

export interface FeedOptions {
  readonly journal: Journal
  readonly rack: Pick<Rack, 'driverSession' | 'subscribe' | 'usable'>
  /** Services of all module types that are driven. */
  readonly services: readonly ModuleService[]
  /** Clock of the device. */
  readonly clock: Clock
  /** Leases that a caller may learn of, for the state. */
  readonly leases?: (caller: Caller | undefined) => readonly object[]
  /** What the operator calls pins now. */
  readonly pins?: (() => readonly NamedPin[]) | undefined
}

/** Puts into the journal what happens: in the rack, in modules, in the power budget and in requests. Knows the readable state. */
export class Feed {
  readonly #services: ReadonlyMap<string, ModuleService>
  readonly #states: ModuleStates
  readonly #unsubscribe: () => void
  #readings: IdleReadings | undefined

  constructor(private readonly options: FeedOptions) {
    this.#services = new Map(options.services.map((service) => [service.vendorProductId, service]))
    this.#states = new ModuleStates(options.clock, ({ slot }, { kind, ...fields }) => this.#add(kind, slot, fields))
    this.#unsubscribe = options.rack.subscribe((event) => this.#follow(event))
  }

  /** For the service that drives the modules. */
  get observer(): ModuleObserver {
    return this.#states
  }

  /** Records per kind, for `/slotwire/metrics`. */
  readonly metrics = (): readonly MetricFamily[] => {
    const { counts } = this.options.journal
    const samples = recordKinds.map((kind) => ({ labels: { kind }, value: counts.get(kind) ?? 0 }))
    return [{ name: 'slotwire_events_records_total', help: 'Records of the journal, by kind.', type: 'counter', samples }]
  }

  /** Begins to read what the state and the journal need of the modules. */
  start(context: Pick<HandlerContext, 'hostDevices' | 'log'>): void {
    this.#readings = new IdleReadings(this.options, this.#states, context, () => this.#usable())
  }

  close(): void {
    this.#unsubscribe()
    this.#readings?.close()
  }

  readonly recordWrite = (record: WriteRecord): void => {
    // Leases have records of their own.
    if (!record.path.startsWith(extensionPaths.leases)) this.options.journal.add(writeFields(record))
  }

  readonly recordPower = (slot: SlotApi, { granted, missing }: PowerDecision): void => {
    const { power3v3, power5v0, power12v } = missing
    const shortage = { rail_3v3_milliwatt: power3v3, rail_5v0_milliwatt: power5v0, rail_12v_milliwatt: power12v }
    const isShort = Object.values(shortage).some((milliwatt) => milliwatt > 0)
    this.#add('power', slot, { event: granted ? 'granted' : 'denied', ...(isShort ? { missing: shortage } : {}) })
  }

  /** What a caller may learn of the device: its usable modules with their states. Never waits for a module. */
  readonly state = (caller: Caller | undefined): StateDocument => {
    const { journal, rack, leases } = this.options
    const modules = this.#usable().filter(({ service }) => seesService(caller, service.contract.service))
    return {
      boot: journal.last.boot,
      last: formatPosition(journal.last),
      driver_session: rack.driverSession,
      modules: modules.map(({ slot, service: { contract, journal: declared }, since, state }) => ({
        slot: slot.slot,
        service: contract.service,
        type: slot.vendorProductId,
        session: slot.session,
        since,
        state: declared?.shown?.(state) ?? state,
        ...this.#named(contract, slot),
      })),
      leases: leases?.(caller) ?? [],
    }
  }

  /** The named pins of a module, if it has some. */
  #named(contract: Contract, { slot }: SlotApi): { readonly pins?: readonly NamedPin[] } {
    const pins = pinsAt(this.options.pins?.() ?? [], contract, slot)
    return pins.length === 0 ? {} : { pins }
  }

  #usable(): readonly KnownModule[] {
    const slots = this.options.services.flatMap(({ vendorProductId }) => this.options.rack.usable(vendorProductId))
    return this.#states.of(slots.sort((one, other) => one.slot - other.slot))
  }

  #follow(event: RackEvent): void {
    const { journal, rack } = this.options
    switch (event.type) {
      case 'restarting':
        journal.add({ kind: 'device', state: 'restarting' })
        this.#states.restarting(this.#usable().map(({ slot }) => slot))
        break
      case 'up':
        journal.add({ kind: 'device', state: 'up', driver_session: rack.driverSession })
        break
      case 'arrived': {
        const service = this.#services.get(event.slot.vendorProductId)
        const { serialCode } = event.descriptor
        const { at } = this.#module(event.slot, 'arrived', { serial_code: serialCode })
        if (service !== undefined) this.#states.arrived(event.slot, service, serialCode, at)
        this.#readings?.start()
        break
      }
      case 'session':
        this.#states.session(event.slot, this.#module(event.slot, 'session').at)
        break
      case 'reset':
        this.#states.began(event.slot)
        break
      case 'notified':
        this.#alerts(event.slot, event.bytes)
        break
      default:
        this.#module(event.slot, event.type)
    }
  }

  #module(slot: SlotApi, event: string, fields: object = {}): JournalRecord {
    return this.#add('module', slot, { event, type: slot.vendorProductId, ...fields })
  }

  /** One record for each place with alerts. */
  #alerts(slot: SlotApi, bytes: Uint8Array): void {
    const service = this.#services.get(slot.vendorProductId)
    for (const alert of service?.readAlerts?.(bytes) ?? []) {
      const { name, place, alerts } = alert
      const named = service && namedPin(this.#named(service.contract, slot).pins, place)
      this.#add('alert', slot, { [name]: place, ...(named && { name: named.name }), alerts })
      this.#states.alert(slot, alert)
    }
  }

  #add(kind: RecordKind, { slot, session, vendorProductId }: SlotApi, fields: object): JournalRecord {
    const service = this.#services.get(vendorProductId)?.contract.service
    return this.options.journal.add({ kind, slot, ...(service === undefined ? {} : { service }), session, ...fields })
  }
}

/** Longest path in a record, in characters: a path that is served is shorter. */
const MAX_PATH_CHARACTERS = 200

/** The record of a request with an effect. Bodies of the modules' API have no secrets; others are left out. */
function writeFields({ caller, method, path, target, body, status, isAbandoned }: WriteRecord): NewRecord {
  const { service, endpoint, slot, session } = target ?? {}
  const shownPath = path.length > MAX_PATH_CHARACTERS ? `${path.slice(0, MAX_PATH_CHARACTERS)}…` : path
  return {
    kind: 'write',
    ...(slot === undefined ? {} : { slot }),
    ...(service === undefined ? {} : { service }),
    ...(session === undefined ? {} : { session }),
    method,
    path: shownPath,
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(caller === undefined ? {} : { door: caller.door }),
    ...(caller?.token === undefined ? {} : { token: caller.token.name }),
    status,
    ...(isAbandoned === true ? { abandoned: true } : {}),
    ...(body === undefined || endpoint === undefined ? {} : { body }),
  }
}

/** `/slotwire/state`: answered from memory, also while the device restarts. */
export function addStateRoute(routes: Routes, state: (caller: Caller | undefined) => object): void {
  routes.addOwn('state', (_request, response, { caller }) => sendJson(response, jsonText(state(caller))))
}

/** How often modules are read for the journal, in milliseconds. */
const RESTING_INTERVAL_MS = 10_000
/** The same while a client follows the journal, and first after a module has come. */
const FOLLOWED_INTERVAL_MS = 1000

/** Reads what the journals of module types want, when no request waits for the module. Nothing is read, and no timer set, without one. */
class IdleReadings {
  /** Slots that are being read. */
  readonly #reading = new Set<SlotApi>()
  #timer: Timer | undefined
  #closed = false

  constructor(
    private readonly options: Pick<FeedOptions, 'clock' | 'journal'>,
    private readonly states: ModuleStates,
    /** For the handlers. */
    private readonly context: Pick<HandlerContext, 'hostDevices' | 'log'>,
    /** The usable modules. */
    private readonly modules: () => readonly KnownModule[],
  ) {}

  /** Call this when a module has become usable: it is read soon. */
  start(): void {
    this.#arm(FOLLOWED_INTERVAL_MS)
  }

  close(): void {
    this.#closed = true
    this.#timer?.cancel()
  }

  /** The renewals of heartbeats and the checks of slots have these moments too: the process wakes up once for all. */
  #arm(intervalMs: number): void {
    const { clock, journal } = this.options
    this.#timer?.cancel()
    this.#timer = undefined
    if (this.#closed || !this.modules().some(hasReadings)) return
    this.#timer = clock.after(intervalMs - (clock.now() % intervalMs), () => {
      for (const module of this.modules()) this.#readModule(module)
      this.#arm(journal.isFollowed ? FOLLOWED_INTERVAL_MS : RESTING_INTERVAL_MS)
    })
  }

  #readModule(module: KnownModule): void {
    const { slot } = module
    if (!hasReadings(module) || this.#reading.has(slot)) return
    this.#reading.add(slot)
    const done = (): void => {
      this.#reading.delete(slot)
    }
    this.#readAll(module).then(done, done)
  }

  /** A reading that fails is tried again at the next moment. */
  async #readAll(module: KnownModule): Promise<void> {
    const { handlers, journal } = module.service
    for (const [endpoint, reading] of Object.entries(journal?.readings ?? {})) {
      const handler = handlers[endpoint]
      if (handler?.kind !== 'bus' || reading?.isWanted(module.state) !== true) continue
      try {
        await module.slot.readWhenIdle(async (exchange) => {
          if (this.#closed) return
          const request = { body: undefined, parameters: {} }
          const reply = await handler.run(exchange, request, { ...this.context, slot: module.slot, readOnly: true })
          this.states.answered(module.slot, endpoint, reply)
        })
      } catch (error) {
        if (error instanceof SlotNeeded) continue
        const reason = messageOf(error)
        this.context.log.debug({ slot: module.slot.slot, endpoint, reason }, 'a reading for the journal failed')
      }
    }
  }
}

function hasReadings({ service }: KnownModule): boolean {
  return service.journal?.readings !== undefined
}
