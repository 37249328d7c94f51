import { type Contract, type Endpoint, type ReplyOf, successSchema } from '@slotwire/contract'
import {
  type Backplane,
  type Clock,
  type HostDevice,
  type HostDeviceQuery,
  type Log,
  type SlotwireError,
  withDeadline,
} from '@slotwire/core'
import { type Exchange, type PowerConfiguration, type PowerDecision, type ReadNotification, type SlotApi } from '@slotwire/driver'
import { type Command, ModuleRefusal } from '@slotwire/sdbp'
import { type AlertKindOf, type AlertsHandler, type ServedAlerts, servedAlerts } from './alerts.ts'
import type { ModuleReadings, NamedReadings } from './metrics/readings.ts'
import type { ModuleJournal } from './module-journal.ts'
import type { Request, RequestOf } from './pipeline/request.ts'

/** Resources for a handler besides its module. */
export interface HandlerContext {
  /** Writes have their own turn. */
  readonly slot: Omit<SlotApi, 'write'>
  /** Lists devices on a bus of the host computer. A job must never wait for it. */
  readonly hostDevices: HostDevices
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
    if (typeof handler === 'function') handlers[name] = { kind: 'bus', run: withSuccessReply(endpoint, handler) }
    else if (handler?.kind === 'alerts') {
      if (alerts.readAlerts !== undefined) throw new Error(`${endpoint.path}: another endpoint delivers the alerts already`)
      const { handler: direct, ...readers } = servedAlerts(endpoint, handler)
      alerts = readers
      handlers[name] = direct
    } else if (handler !== undefined) handlers[name] = handler
  }
  return { contract, ...parts, handlers, ...alerts }
}

const success = { status: 'success' } as const

function withSuccessReply({ reply }: Endpoint, handler: BusHandler['run']): BusHandler['run'] {
  if (reply !== successSchema) return handler
  return async (exchange, request, context) => {
    await handler(exchange, request, context)
    return success
  }
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

/** Deadline for the list of the host's devices, in milliseconds. */
export const HOST_DEVICES_DEADLINE_MS = 2000

/** Lists devices on a bus of the host. Throws the error of `late` after `HOST_DEVICES_DEADLINE_MS`. */
export type HostDevices = (query: HostDeviceQuery, late: (milliseconds: number) => Error) => Promise<readonly HostDevice[]>

export function hostDevicesReader(backplane: Backplane, clock: Clock): HostDevices {
  return (query, late) =>
    withDeadline(clock, HOST_DEVICES_DEADLINE_MS, backplane.hostDevices(query), () => late(HOST_DEVICES_DEADLINE_MS))
}
