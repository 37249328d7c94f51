import type { genericEndpoints } from '@slotwire/contract'
import type { Clock } from '@slotwire/core'
import type { SlotApi } from '@slotwire/driver'
import type { ModuleAlert, ModuleChange, ModuleObserver, ModuleRecord, ModuleService } from '@slotwire/service'

/** A usable module, with its readable state. */
export interface KnownModule {
  readonly slot: SlotApi
  readonly service: ModuleService
  readonly serialCode: string
  /** The time of the record with which its session began, RFC 3339. */
  since: string
  /** As the module type's journal made it. */
  state: object
}

const NO_STATE = {}
const RESET = 'reset' satisfies keyof typeof genericEndpoints

/** The readable states of all usable modules: what they acknowledged and answered in their session. */
export class ModuleStates implements ModuleObserver {
  /** By slot; a module that left stays until another comes, because some states outlast it. */
  readonly #modules = new Map<number, KnownModule>()

  constructor(
    private readonly clock: Clock,
    private readonly record: (module: KnownModule, record: ModuleRecord) => void,
  ) {}

  /** The modules in these slots that are known, in the same order. */
  of(slots: readonly SlotApi[]): readonly KnownModule[] {
    return slots.map((slot) => this.#find(slot)).filter((module) => module !== undefined)
  }

  arrived(slot: SlotApi, service: ModuleService, serialCode: string, since: string): void {
    const before = this.#modules.get(slot.slot)
    const isSame = before?.service === service && before.serialCode === serialCode
    const state = service.journal?.initial(isSame ? before.state : undefined) ?? NO_STATE
    this.#modules.set(slot.slot, { slot, service, serialCode, since, state })
  }

  /** The module has another session. */
  session(slot: SlotApi, since: string): void {
    const module = this.#find(slot)
    if (module !== undefined) module.since = since
    this.began(slot)
  }

  /** The state began again: in a new session, or by a reset on request. */
  began(slot: SlotApi): void {
    const module = this.#find(slot)
    if (module?.service.journal !== undefined) module.state = module.service.journal.initial(module.state)
  }

  alert(slot: SlotApi, alert: ModuleAlert): void {
    const module = this.#find(slot)
    if (module?.service.journal?.alert === undefined) return
    this.#apply(module, { state: module.service.journal.alert(module.state, alert) })
  }

  /** The whole device restarts. */
  restarting(slots: readonly SlotApi[]): void {
    for (const module of this.of(slots)) {
      const records = module.service.journal?.restarting?.(module.state, this.clock.now()) ?? []
      this.#apply(module, { records })
    }
  }

  written(slot: SlotApi, { endpoint, session, request, reply }: Parameters<ModuleObserver['written']>[1]): void {
    const module = this.#find(slot)
    // In a new session the module may have lost what it acknowledged in the one before.
    if (module === undefined || session !== slot.session) return
    const { journal } = module.service
    const reduce = journal?.writes?.[endpoint]
    if (reduce !== undefined) this.#apply(module, reduce(module.state, { ...request, reply, atMs: this.clock.now() }))
    else if (reply === undefined && endpoint === RESET) this.#apply(module, { state: journal?.unknown ?? NO_STATE })
  }

  answered(slot: SlotApi, endpoint: string, reply: unknown): void {
    const module = this.#find(slot)
    const reading = module?.service.journal?.readings?.[endpoint]
    if (module !== undefined && reading !== undefined) this.#apply(module, reading.change(module.state, reply, this.clock.now()))
  }

  #find(slot: SlotApi): KnownModule | undefined {
    const module = this.#modules.get(slot.slot)
    return module?.slot === slot ? module : undefined
  }

  #apply(module: KnownModule, { state, records = [] }: ModuleChange<object>): void {
    if (state !== undefined) module.state = { ...module.state, ...state }
    for (const record of records) this.record(module, record)
  }
}
