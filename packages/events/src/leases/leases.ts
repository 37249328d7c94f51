import { hash } from 'node:crypto'
import type { BodyOf, ReplyOf } from '@slotwire/contract'
import {
  type Clock,
  coreErrors,
  isoTime,
  type Log,
  type Random,
  type SlotwireError,
  sessionIdentifier,
  type Timer,
  type WallTime,
  withDeadline,
} from '@slotwire/core'
import type { SlotApi } from '@slotwire/driver'
import {
  assertUp,
  type Caller,
  type GuardedWrite,
  type LeaseGuard,
  type MetricFamily,
  type ModuleService,
  type ServedRack,
  singleMetric,
} from '@slotwire/service'
import type { Journal } from '../journal.ts'
import { seesService, serviceNotGranted } from '../query.ts'
import type { ModulePlace } from '../record.ts'
import { type leaseEndpoints, leaseErrors } from './contract.ts'
import { applySafeState, type SafeStateResult } from './safe-state.ts'

const MS_PER_SECOND = 1000
/** How often it is checked whether the token of a lease is still valid, in milliseconds. */
const TOKEN_CHECK_MS = 50
/** Marks secrets of leases for people and for programs that search for leaked secrets. */
const PREFIX = 'swl_'

type LeaseRequest = BodyOf<(typeof leaseEndpoints)['grantLease']>
type Off = ReplyOf<(typeof leaseEndpoints)['switchOff']>

interface LeasesOptions {
  readonly rack: Pick<ServedRack, 'find' | 'inventory' | 'state' | 'ready'>
  readonly services: readonly ModuleService[]
  /** Monotonic real time: times leases. */
  readonly clock: Clock
  /** The time of the modules. */
  readonly deviceClock: Clock
  readonly wallTime: WallTime
  /** Must be unpredictable: makes the secrets. */
  readonly random: Random
  readonly journal: Pick<Journal, 'add'>
  readonly log: Log
}

interface Lease {
  readonly number: number
  readonly digest: string
  readonly holder: string
  readonly caller: Caller | undefined
  readonly onLapse: 'keep' | 'safe'
  /** Its slots, with the services of their modules. Another lease may take over some. */
  readonly slots: Map<number, string>
  ttlMs: number
  expiresMs: number
}

/** Who may write to which slots of the device. A slot has at most one lease. */
export class Leases implements LeaseGuard {
  readonly #running = new RunningWrites()
  /** The leases in force, by the digest of their secret. */
  readonly #inForce = new Map<string, Lease>()
  /** By slot. Also holds a lapsed lease until the module is in its safe state. */
  readonly #bySlot = new Map<number, Lease>()
  /** The modules that are being brought into their safe state, by slot. */
  readonly #resets = new Map<number, Promise<SafeStateResult>>()
  #lastNumber = 0
  #timer: Timer | undefined
  #closed = false

  constructor(private readonly options: LeasesOptions) {}

  begin(write: GuardedWrite): void {
    if (this.#bySlot.size > 0 || write.secret !== undefined) this.#check(write)
    this.#running.begin(write)
  }

  end(write: GuardedWrite): void {
    this.#running.end(write)
  }

  #check({ slot, reach, secret, caller }: GuardedWrite): void {
    this.#lapseDue()
    const digests = digestsOf(secret)
    const isLapsed = digests.some((digest) => !this.#inForce.has(digest))
    for (const [leased, lease] of this.#bySlot) {
      if (reach !== 'device' && leased !== slot) continue
      if (!digests.includes(lease.digest)) throw this.#leased(leased, lease, caller)
    }
    if (isLapsed) throw coreErrors.leaseExpired()
  }

  /** Takes force at once; resolves when writes that run in these slots have ended. With `force` takes slots over from other leases. */
  async grant(request: LeaseRequest, caller: Caller | undefined) {
    const { clock, random } = this.options
    this.#lapseDue()
    const slots = new Map(request.slots.map((slot) => [slot, this.#serviceIn(slot, caller)]))
    for (const slot of slots.keys()) {
      const former = this.#inForceAt(slot)
      if (former !== undefined && request.force !== true) throw this.#leased(slot, former, caller)
    }
    const secret = PREFIX + sessionIdentifier(random)
    const lease: Lease = {
      number: ++this.#lastNumber,
      digest: digestOf(secret),
      holder: request.holder,
      caller,
      onLapse: request.on_lapse,
      slots,
      ttlMs: request.ttl_seconds * MS_PER_SECOND,
      expiresMs: 0,
    }
    this.#take(lease)
    this.#inForce.set(lease.digest, lease)
    this.#extend(lease)
    await withDeadline(clock, lease.ttlMs, this.#running.ended([...slots.keys()]), () => coreErrors.leaseExpired())
    if (!this.#inForce.has(lease.digest)) throw coreErrors.leaseExpired()
    return { number: lease.number, secret, expires_at: this.#expiresAt(lease) }
  }

  /** Holds for `ttlSeconds` from now; default: as long as before. */
  renew(number: number, secret: string | undefined, ttlSeconds: number | undefined) {
    const lease = this.#own(number, secret)
    if (ttlSeconds !== undefined) lease.ttlMs = ttlSeconds * MS_PER_SECOND
    this.#extend(lease)
    return { number, expires_at: this.#expiresAt(lease) }
  }

  giveBack(number: number, secret: string | undefined): void {
    const lease = this.#own(number, secret)
    this.#inForce.delete(lease.digest)
    for (const slot of lease.slots.keys()) this.#bySlot.delete(slot)
    this.#record(lease, 'given-back')
    this.#arm()
  }

  /**
   * Brings all modules that have a safe state into it, at the same time and ahead of all requests. Leaves a slot alone that another client
   * leased; with `force` that lease ends there.
   */
  async switchOff(force: boolean, secret: string | undefined, caller: Caller | undefined): Promise<Off> {
    const { rack, services } = this.options
    assertUp({ rack })
    this.#lapseDue()
    const types = services.filter(({ safeState }) => safeState !== undefined)
    const visible = types.filter(({ contract }) => seesService(caller, contract.service))
    if (types.length > 0 && visible.length === 0)
      throw serviceNotGranted(
        caller,
        services.map(({ contract }) => contract),
      )
    const digests = digestsOf(secret)
    const modules = rack.inventory().map(async ({ slot, state, descriptor }): Promise<Off['modules']> => {
      const type = visible.find(({ vendorProductId }) => vendorProductId === descriptor?.vendorProductId)
      if (type === undefined || state === 'bootloader' || state === 'incompatible') return []
      const place = { slot, service: type.contract.service }
      const lease = this.#inForceAt(slot)
      if (lease !== undefined && !digests.includes(lease.digest)) {
        if (!force) return [{ ...place, result: 'leased', holder: lease.holder }]
        this.#end(lease, slot)
      }
      const module = rack.find(slot, type.vendorProductId)
      // One that is being given up falls to its initial state first.
      const result = module === undefined ? await this.#resets.get(slot) : await this.#makeSafe(slot, module)
      return [{ ...place, result: module !== undefined && result === 'applied' ? 'off' : 'silent' }]
    })
    const results = (await Promise.all(modules)).flat()
    const { token } = caller ?? {}
    const about = token === undefined ? {} : { token: token.name }
    this.options.journal.add({ kind: 'lease', event: 'off', modules: results, ...about })
    return { modules: results }
  }

  /** The leases in force as the caller may see them: only slots of its services. */
  list(caller: Caller | undefined) {
    this.#lapseDue()
    return [...this.#inForce.values()].flatMap((lease) => {
      const slots = [...lease.slots].filter(([, service]) => seesService(caller, service)).map(([slot]) => slot)
      if (slots.length === 0) return []
      const { number, holder, onLapse } = lease
      const left = { expires_at: this.#expiresAt(lease), seconds_left: this.#secondsLeft(lease) }
      return [{ number, slots, holder, ...tokenOf(lease), on_lapse: onLapse, ...left }]
    })
  }

  metrics = (): readonly MetricFamily[] => [singleMetric('gauge', 'slotwire_leases', 'Leases in force.', this.#inForce.size)]

  /** Leases stay in force for the requests that still run, and do not lapse any more. */
  close(): void {
    this.#closed = true
    this.#timer?.cancel()
  }

  /** The service of the module in a slot. */
  #serviceIn(slot: number, caller: Caller | undefined): string {
    assertUp(this.options)
    const module = this.#moduleIn(slot)
    if (module === undefined) throw leaseErrors.slotEmpty({ slot })
    const { service } = module.type.contract
    if (!seesService(caller, service)) throw leaseErrors.slotNotGranted({ slot })
    return service
  }

  #moduleIn(slot: number): { readonly module: SlotApi; readonly type: ModuleService } | undefined {
    for (const type of this.options.services) {
      const module = this.options.rack.find(slot, type.vendorProductId)
      if (module !== undefined) return { module, type }
    }
    return undefined
  }

  #inForceAt(slot: number): Lease | undefined {
    const lease = this.#bySlot.get(slot)
    return lease !== undefined && this.#inForce.has(lease.digest) ? lease : undefined
  }

  /** Gives a lease its slots, also those of other leases. */
  #take(lease: Lease): void {
    let event = 'granted'
    const modules = modulesOf(lease).map((module) => {
      const former = this.#inForceAt(module.slot)
      this.#bySlot.set(module.slot, lease)
      if (former === undefined) return module
      event = 'taken-over'
      former.slots.delete(module.slot)
      if (former.slots.size === 0) this.#inForce.delete(former.digest)
      return { ...module, from: { lease: former.number, holder: former.holder, ...tokenOf(former) } }
    })
    this.#record(lease, event, { ttl_seconds: lease.ttlMs / MS_PER_SECOND, on_lapse: lease.onLapse }, modules)
  }

  #extend(lease: Lease): void {
    lease.expiresMs = this.options.clock.now() + lease.ttlMs
    this.#arm()
  }

  /** By the date of the device as it is now. */
  #expiresAt({ expiresMs }: Lease): string {
    const { clock, wallTime } = this.options
    return isoTime(wallTime() + Math.max(0, expiresMs - clock.now()))
  }

  /** The lease with this number and secret. */
  #own(number: number, secret: string | undefined): Lease {
    if (secret === undefined) throw leaseErrors.secretMissing({ number })
    this.#lapseDue()
    const lease = this.#inForce.get(digestOf(secret))
    if (lease?.number !== number) throw coreErrors.leaseExpired()
    return lease
  }

  #lapseDue(): void {
    const now = this.options.clock.now()
    for (const lease of [...this.#inForce.values()]) {
      if (lease.expiresMs <= now) this.#lapse(lease, 'expired')
      else if (lease.caller?.isValid?.() === false) this.#lapse(lease, 'revoked')
    }
  }

  #lapse(lease: Lease, reason: 'expired' | 'revoked'): void {
    const { log } = this.options
    this.#inForce.delete(lease.digest)
    log.info({ lease: lease.number, slots: [...lease.slots.keys()], reason }, 'a lease has lapsed')
    this.#record(lease, 'lapsed', { reason })
    const resets = modulesOf(lease).flatMap((module) => {
      const { slot } = module
      const usable = lease.onLapse === 'safe' ? this.#moduleIn(slot) : undefined
      if (usable?.type.safeState === undefined) {
        this.#bySlot.delete(slot)
        return []
      }
      const onSafe = (): void => {
        if (this.#bySlot.get(slot) === lease) this.#bySlot.delete(slot)
      }
      return [this.#makeSafe(slot, usable.module, onSafe).then((result) => ({ ...module, result }))]
    })
    if (resets.length > 0) void Promise.all(resets).then((modules) => this.#record(lease, 'safe-state', {}, modules))
    this.#arm()
  }

  /** Until the module is safe, no client writes to it. */
  async #makeSafe(slot: number, module: SlotApi, onSafe: () => void = () => undefined): Promise<SafeStateResult> {
    const { deviceClock, log } = this.options
    const reset = { slot, reach: undefined }
    this.#running.begin(reset)
    const applied = applySafeState(module, deviceClock, onSafe)
    this.#resets.set(slot, applied)
    const result = await applied
    this.#running.end(reset)
    if (this.#resets.get(slot) === applied) this.#resets.delete(slot)
    if (result === 'given-up') log.warn({ slot }, 'the module did not reset, and is given up')
    return result
  }

  /** Ends a lease for one of its slots. */
  #end(lease: Lease, slot: number): void {
    const module = { slot, service: lease.slots.get(slot) ?? '' }
    lease.slots.delete(slot)
    this.#bySlot.delete(slot)
    if (lease.slots.size === 0) this.#inForce.delete(lease.digest)
    this.#record(lease, 'lapsed', { reason: 'off' }, [module])
  }

  #record(lease: Lease, event: string, fields: object = {}, modules: readonly ModulePlace[] = modulesOf(lease)): void {
    const about = { kind: 'lease', modules, event, lease: lease.number, holder: lease.holder, ...tokenOf(lease) } as const
    this.options.journal.add({ ...about, ...fields })
  }

  #leased(slot: number, lease: Lease, caller: Caller | undefined): SlotwireError {
    const { token } = tokenOf(lease)
    const name = token === undefined ? `"${lease.holder}"` : `"${lease.holder}" (token ${token})`
    const isSeen = seesService(caller, lease.slots.get(slot))
    return coreErrors.leased({ slot, holder: isSeen ? name : 'another client', seconds: Math.max(1, this.#secondsLeft(lease)) })
  }

  #secondsLeft({ expiresMs }: Lease): number {
    return Math.max(0, Math.ceil((expiresMs - this.options.clock.now()) / MS_PER_SECOND))
  }

  #arm(): void {
    this.#timer?.cancel()
    this.#timer = undefined
    if (this.#closed || this.#inForce.size === 0) return
    const now = this.options.clock.now()
    const delays = [...this.#inForce.values()].map(({ expiresMs, caller }) =>
      caller?.isValid === undefined ? expiresMs - now : Math.min(expiresMs - now, TOKEN_CHECK_MS),
    )
    this.#timer = this.options.clock.after(Math.max(0, Math.min(...delays)), () => {
      this.#lapseDue()
      this.#arm()
    })
  }
}

/** Of the secrets in a header. */
function digestsOf(secrets: string | undefined): readonly string[] {
  return secrets === undefined ? [] : secrets.split(',').map((secret) => digestOf(secret.trim()))
}

function digestOf(secret: string): string {
  return hash('sha256', secret, 'base64')
}

function modulesOf({ slots }: Lease) {
  return [...slots].map(([slot, service]) => ({ slot, service }))
}

function tokenOf({ caller }: Lease): { readonly token?: string } {
  return caller?.token === undefined ? {} : { token: caller.token.name }
}

type RunningWrite = Pick<GuardedWrite, 'slot' | 'reach'>

/** The writes whose jobs run at the moment. */
class RunningWrites {
  /** With what waits for their end. */
  readonly #running = new Map<RunningWrite, (() => void)[]>()

  begin(write: RunningWrite): void {
    if (!this.#running.has(write)) this.#running.set(write, [])
  }

  end(write: RunningWrite): void {
    const waiting = this.#running.get(write) ?? []
    this.#running.delete(write)
    for (const resolve of waiting) resolve()
  }

  /** Resolves when all writes to these slots, or to the whole device, that run now have ended. */
  async ended(slots: readonly number[]): Promise<void> {
    const concerned = [...this.#running].filter(([{ slot, reach }]) => reach === 'device' || slots.includes(slot))
    await Promise.all(concerned.map(([, waiting]) => new Promise<void>((resolve) => waiting.push(resolve))))
  }
}
