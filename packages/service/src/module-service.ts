import type { Contract, Endpoint, ReplyOf, successSchema } from '@slotwire/contract'
import type { HostDevice, HostDeviceQuery, Log, SlotwireError } from '@slotwire/core'
import { type Exchange, type PowerConfiguration, type PowerDecision, type ReadNotification, type SlotApi } from '@slotwire/driver'
import { type Command, ModuleRefusal } from '@slotwire/sdbp'
import { type AlertKindOf, type AlertsHandler, type ModuleAlert, type ServedAlerts, servedAlerts } from './alerts.ts'
import type { ModuleReadings, NamedReadings } from './metrics/readings.ts'
import type { Request, RequestOf } from './pipeline/request.ts'

/** Resources for a handler besides its module. */
export interface HandlerContext {
  /** Writes have their own turn. */
  readonly slot: Omit<SlotApi, 'write'>
  /** Lists devices on a bus of the host computer, for a job must never wait for it: throws the error of `late` after its deadline. */
  readonly hostDevices: (query: HostDeviceQuery, late: (milliseconds: number) => Error) => Promise<readonly HostDevice[]>
  readonly log: Log
  /** A read-only caller: alerts must not be cleared. */
  readonly readOnly: boolean
}

/** Requests power and configures the module once it is granted: `PowerGate.apply`, for this module. */
export type ApplyPower = (configuration: PowerConfiguration) => Promise<PowerDecision>

/**
 * How an endpoint is answered. `bus`: talks to the module in one job; jobs of reads may be shared. `direct`: does not need the bus, or runs
 * its own jobs. `power`: uses the device's power budget.
 */
export type Handler<Of = Request, Reply = unknown> =
  | { readonly kind: 'bus'; run(exchange: Exchange, request: Of, context: HandlerContext): Promise<Reply> }
  | { readonly kind: 'direct'; run(request: Of, context: HandlerContext): Promise<Reply> | Reply }
  | { readonly kind: 'power'; run(apply: ApplyPower, request: Of, context: HandlerContext): Promise<Reply> }

/** A handler of the kind `bus`. */
export type BusHandler<Of = Request, Reply = unknown> = Extract<Handler<Of, Reply>, { readonly kind: 'bus' }>

/**
 * The handler of an endpoint, as declared. A function is that of kind `bus`; if the endpoint replies only `success`, the resolved value is
 * ignored. One of effect `deliver` is answered only by masks of alerts.
 */
type DeclaredHandler<E extends Endpoint> = E['effect'] extends 'deliver'
  ? AlertsHandler<AlertKindOf<E>>
  :
      | BusHandler<RequestOf<E>, E['reply'] extends typeof successSchema ? unknown : ReplyOf<E>>['run']
      | Exclude<Handler<RequestOf<E>, ReplyOf<E>>, { readonly kind: 'bus' }>

/** Client error for a status with which the module refused; undefined: the general error (400). */
export type RefusalMapping = (refusal: ModuleRefusal) => SlotwireError | undefined

/** How a module gets into its safe state: its outputs are off, and nothing else is lost that its users depend on. */
export type SafeState = 'reset'

/** What does not depend on the types of the contract. */
interface ServiceParts {
  /** Type of modules that this service drives. */
  readonly vendorProductId: string
  /** A reading command of the module, which it executes only while it runs: shows whether it has restarted. */
  readonly probe?: Command<Record<never, never>, unknown>
  readonly refusal?: RefusalMapping
  /** What brings the module into its safe state when a lease lapses; default: nothing. */
  readonly safeState?: SafeState
  /** Readable state and records of the module. */
  readonly journal?: ModuleJournal
}

/** Definition of a module service, typed by its contract. */
export interface ModuleServiceDefinition<Endpoints extends Contract['endpoints']> extends ServiceParts {
  readonly handlers: { readonly [Name in keyof Endpoints]: DeclaredHandler<Endpoints[Name]> }
  /** Metrics of the module. */
  readonly readings?: ModuleReadings<Endpoints>
}

/** A module service, bound to its contract. */
export interface ModuleService extends ServiceParts {
  readonly contract: Contract
  readonly handlers: Readonly<Record<string, Handler>>
  /** Log fields of the module's notifications. */
  readonly readNotification?: ReadNotification
  /** The alerts in the module's notifications. */
  readonly readAlerts?: ServedAlerts['readAlerts']
  readonly readings?: NamedReadings
}

/** Binds handlers to a contract: one per endpoint, typed by its body, parameters and reply. Throws if alerts are declared wrongly. */
export function moduleService<const Endpoints extends Contract['endpoints']>(
  contract: Contract<Endpoints>,
  definition: ModuleServiceDefinition<Endpoints>,
): ModuleService {
  const { handlers: typed, ...parts } = definition
  // The engine checks each request against the contract before it calls the handler.
  const declared: Readonly<Record<string, BusHandler['run'] | Handler | AlertsHandler>> = typed
  const handlers: Record<string, Handler> = {}
  let alerts: Partial<Omit<ServedAlerts, 'handler'>> = {}
  for (const [name, endpoint] of Object.entries(contract.endpoints)) {
    const handler = declared[name]
    if (typeof handler === 'function') handlers[name] = { kind: 'bus', run: handler }
    else if (handler?.kind === 'alerts') {
      if (alerts.readAlerts !== undefined) throw new Error(`${endpoint.path}: another endpoint delivers the alerts already`)
      const { handler: direct, ...readers } = servedAlerts(endpoint, handler)
      alerts = readers
      handlers[name] = direct
    } else if (handler !== undefined) handlers[name] = handler
  }
  return { contract, ...parts, handlers, ...alerts }
}

/** Waits for an exchange; turns statuses listed in `errors` into client errors and rethrows all others. */
export async function refusedAs<Result>(
  exchange: Promise<Result>,
  errors: Readonly<Partial<Record<number, (refusal: ModuleRefusal) => SlotwireError>>>,
): Promise<Result> {
  try {
    return await exchange
  } catch (error) {
    throw (error instanceof ModuleRefusal ? errors[error.status]?.(error) : undefined) ?? error
  }
}

/** Whether modules of this service use the device's power budget. */
export function usesPowerBudget({ handlers }: ModuleService): boolean {
  return Object.values(handlers).some(({ kind }) => kind === 'power')
}

/** A record of the journal about one module, without slot, service and session. Fields of its kind have a fixed order. */
export interface ModuleRecord {
  readonly kind: 'protection' | 'usb' | 'watchdog'
  readonly [field: string]: unknown
}

/** What follows from something that happened to a module: the parts of its state that changed, and records. */
export interface ModuleChange<State> {
  readonly state?: Partial<State>
  readonly records?: readonly ModuleRecord[]
}

/** A write that has ended. `reply` is undefined: it failed, and may have changed something. `atMs`: time of the device. */
export type EndedWrite<Of = Request, Reply = unknown> = Of & { readonly reply: Reply | undefined; readonly atMs: number }
/** A write to this endpoint that has ended. */
export type EndedWriteOf<E extends Endpoint> = EndedWrite<RequestOf<E>, ReplyOf<E>>

type Polled = Endpoint & { readonly effect: 'read'; readonly parameters?: undefined }

/** The parameters of methods are not compared: a journal with types is also one without. */
interface Reducers<State, Event> {
  write(state: State, write: Event): ModuleChange<State>
}

/** A reading that shows the state. */
interface StateReading<State, Reply> {
  change(state: State, reply: Reply, atMs: number): ModuleChange<State>
  /** Whether the engine should read it now, when no request waits: every 10 s, every second while a client follows the journal. */
  isWanted(state: State): boolean
}

/**
 * What the journal shows of a module type: its readable state, and records that follow from writes, readings and alerts. All are pure
 * functions. Without one, modules have an empty state, and records of alerts and writes.
 */
export interface ModuleJournal<
  State = object,
  Writes = Readonly<Record<string, Reducers<State, EndedWrite>['write'] | undefined>>,
  Readings = Readonly<Record<string, StateReading<State, unknown> | undefined>>,
> {
  /** The initial state, in a new session and after a reset. `before`: the last state of the same module, for what outlasts sessions. */
  initial(before: State | undefined): State
  /** What is not known after a reset that failed, and may have been done. */
  readonly unknown: Partial<State>
  /** Writes that change the state, by endpoint. */
  readonly writes?: Writes
  /** Readings that show the state, by endpoint. */
  readonly readings?: Readings
  /** An alert changes the state. */
  alert?(state: State, alert: ModuleAlert): Partial<State>
  /** The whole device restarts. */
  restarting?(state: State, atMs: number): readonly ModuleRecord[]
  /** The part of the state that clients see; default: all of it. */
  shown?(state: State): object
}

/** Declares what the journal shows of a module type, typed by its contract. */
export function moduleJournal<const Of extends Contract['endpoints'], State extends object>(
  _contract: Contract<Of>,
  journal: ModuleJournal<
    State,
    { readonly [Name in keyof Of]?: Reducers<State, EndedWriteOf<Of[Name]>>['write'] },
    { readonly [Name in keyof Of as Of[Name] extends Polled ? Name : never]?: StateReading<State, ReplyOf<Of[Name]>> }
  >,
): ModuleJournal {
  // The engine passes states that this journal made, and requests and replies that fit the contract.
  return journal
}
