import { type BodyOf, type Contract, type Endpoint, type ParametersOf, type ReplyOf, successSchema } from '@slotwire/contract'
import type { Backplane, Clock, HostDevice, HostDeviceQuery, Log, SlotwireError } from '@slotwire/core'
import {
  type Exchange,
  type NotificationReader,
  type PowerConfiguration,
  type PowerDecision,
  type SlotApi,
  withDeadline,
} from '@slotwire/driver'
import { type Command, ModuleRefusal } from '@slotwire/sdbp'
import { type AlertKindOf, type AlertsHandler, type ServedAlerts, servedAlerts } from './alerts.ts'
import type { ModuleReadings, NamedReadings } from './metrics/readings.ts'
import type { CheckedJournal } from './module-journal.ts'

/** A request, checked against the contract. */
export interface Request<E extends Endpoint> {
  readonly body: BodyOf<E>
  readonly parameters: ParametersOf<E>
}

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

/** Talks to the module in one job; jobs of reads may be shared. If the endpoint replies only `success`, the resolved value is ignored. */
export type BusHandler<E extends Endpoint> = (
  exchange: Exchange,
  request: Request<E>,
  context: HandlerContext,
) => Promise<E['reply'] extends typeof successSchema ? unknown : ReplyOf<E>>

/** Does not need the bus, or runs its own jobs. */
export interface DirectHandler<E extends Endpoint> {
  readonly kind: 'direct'
  readonly run: (request: Request<E>, context: HandlerContext) => Promise<ReplyOf<E>> | ReplyOf<E>
}

/** Requests power and configures the module once it is granted: `PowerGate.apply`, for this module. */
export type ApplyPower = (configuration: PowerConfiguration) => Promise<PowerDecision>

/** Uses the device's power budget. */
export interface PowerHandler<E extends Endpoint> {
  readonly kind: 'power'
  readonly run: (apply: ApplyPower, request: Request<E>, context: HandlerContext) => Promise<ReplyOf<E>>
}

/** How an endpoint is answered; one of effect `deliver` only by masks of alerts. */
export type Handler<E extends Endpoint> = E['effect'] extends 'deliver'
  ? AlertsHandler<AlertKindOf<E>>
  : BusHandler<E> | DirectHandler<E> | PowerHandler<E>

/** Client error for a status with which the module refused; undefined: the general error (400). */
export type RefusalMapping = (refusal: ModuleRefusal) => SlotwireError | undefined

/** How a module gets into its safe state: its outputs are off, and nothing else is lost that its users depend on. */
export type SafeState = 'reset'

/** Definition of a module service, typed by its contract. */
export interface ModuleServiceDefinition<Endpoints extends Contract['endpoints']> {
  /** Type of modules that this service drives. */
  readonly vendorProductId: string
  /** A reading command of the module, which it executes only while it runs: shows whether it has restarted. */
  readonly probe?: ModuleService['probe']
  readonly handlers: { readonly [Name in keyof Endpoints]: Handler<Endpoints[Name]> }
  readonly refusal?: RefusalMapping
  /** Metrics of the module. */
  readonly readings?: ModuleReadings<Endpoints>
  /** What brings the module into its safe state when a lease lapses; default: nothing. */
  readonly safeState?: SafeState
  /** Readable state and records of the module. */
  readonly journal?: CheckedJournal
}

/** A `Request` without the types of its contract. */
export interface CheckedRequest {
  readonly body: unknown
  readonly parameters: Readonly<Record<string, number>>
}

/** A `Handler` without the types of its contract. */
export type CheckedHandler =
  | {
      readonly kind: 'bus'
      run(exchange: Exchange, request: CheckedRequest, context: HandlerContext): Promise<unknown>
    }
  | {
      readonly kind: 'direct'
      run(request: CheckedRequest, context: HandlerContext): unknown
    }
  | {
      readonly kind: 'power'
      run(apply: ApplyPower, request: CheckedRequest, context: HandlerContext): Promise<unknown>
    }

type CheckedBusHandler = Extract<CheckedHandler, { kind: 'bus' }>['run']

/** A module service without the types of its contract. */
export interface ModuleService {
  readonly contract: Contract
  readonly vendorProductId: string
  readonly probe?: Command<Record<never, never>, unknown>
  readonly handlers: Readonly<Record<string, CheckedHandler>>
  readonly refusal?: RefusalMapping
  /** Log fields of the module's notifications. */
  readonly readNotification?: NotificationReader
  /** The alerts in the module's notifications. */
  readonly readAlerts?: ServedAlerts['readAlerts']
  readonly readings?: NamedReadings
  readonly safeState?: SafeState
  readonly journal?: CheckedJournal
}

/** Binds handlers to a contract: one per endpoint, typed by its body, parameters and reply. Throws if alerts are declared wrongly. */
export function moduleService<const Endpoints extends Contract['endpoints']>(
  contract: Contract<Endpoints>,
  definition: ModuleServiceDefinition<Endpoints>,
): ModuleService {
  const { vendorProductId, refusal, readings, journal, safeState, probe } = definition
  // The engine checks each request against the contract before it calls the handler.
  const declared: Readonly<Record<string, CheckedBusHandler | CheckedHandler | AlertsHandler>> = definition.handlers
  const handlers: Record<string, CheckedHandler> = {}
  let alerts: ServedAlerts | undefined
  for (const [name, endpoint] of Object.entries(contract.endpoints)) {
    const handler = declared[name]
    if (typeof handler === 'function') handlers[name] = { kind: 'bus', run: withSuccessReply(endpoint, handler) }
    else if (handler?.kind === 'alerts') {
      if (alerts !== undefined) throw new Error(`${endpoint.path}: another endpoint delivers the alerts already`)
      alerts = servedAlerts(endpoint, handler)
      handlers[name] = alerts.handler
    } else if (handler !== undefined) handlers[name] = handler
  }
  return {
    contract,
    vendorProductId,
    handlers,
    ...(probe === undefined ? {} : { probe }),
    ...(refusal === undefined ? {} : { refusal }),
    ...(alerts === undefined ? {} : { readNotification: alerts.readNotification, readAlerts: alerts.readAlerts }),
    ...(readings === undefined ? {} : { readings }),
    ...(safeState === undefined ? {} : { safeState }),
    ...(journal === undefined ? {} : { journal }),
  }
}

const success = { status: 'success' } as const

function withSuccessReply({ reply }: Endpoint, handler: CheckedBusHandler): CheckedBusHandler {
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
