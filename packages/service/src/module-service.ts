import { type BodyOf, type Contract, type Endpoint, type ParametersOf, type ReplyOf, successSchema } from '@slotwire/contract'
import type { Log, SlotwireError } from '@slotwire/core'
import type { Exchange, NotificationReader, PowerConfiguration, PowerDecision, SlotApi } from '@slotwire/driver'
import type { ModuleRefusal } from '@slotwire/sdbp'
import { type AlertsHandler, type CheckedAlerts, servedAlerts } from './alerts.ts'
import type { HostDevices } from './host-devices.ts'
import type { CheckedReadings, ModuleReadings } from './metrics/readings.ts'

/** What a handler gets to know of its request, checked against the contract. */
export interface Request<E extends Endpoint> {
  readonly body: BodyOf<E>
  readonly parameters: ParametersOf<E>
}

/** What a handler may use beside its module. */
export interface HandlerContext {
  readonly slot: SlotApi
  /** What is on a bus of the device's own computer. Never to be waited for in a job. */
  readonly hostDevices: HostDevices
  readonly log: Log
  /** Whoever asks may change nothing: what is handed out once stays where it is. */
  readonly readOnly: boolean
}

/**
 * Talks to the module in one job of its own, shared or not as the endpoint's effect says. Where the endpoint replies `success` alone, that is
 * the reply once this resolves, with whatever.
 */
export type BusHandler<E extends Endpoint> = (
  exchange: Exchange,
  request: Request<E>,
  surroundings: HandlerContext,
) => Promise<E['reply'] extends typeof successSchema ? unknown : ReplyOf<E>>

/** Does without the bus, or goes to it in its own way. */
export interface DirectHandler<E extends Endpoint> {
  readonly kind: 'direct'
  readonly run: (request: Request<E>, surroundings: HandlerContext) => Promise<ReplyOf<E>> | ReplyOf<E>
}

/** Asks for power and configures its module once it is granted: `PowerGate.apply`, for this module. */
export type ApplyPower = (configuration: PowerConfiguration) => Promise<PowerDecision>

/** Needs the device's power budget. */
export interface PowerHandler<E extends Endpoint> {
  readonly kind: 'power'
  readonly run: (apply: ApplyPower, request: Request<E>, surroundings: HandlerContext) => Promise<ReplyOf<E>>
}

/** How an endpoint is answered: one that delivers, by masks of alerts alone. */
export type Handler<E extends Endpoint> = E['effect'] extends 'deliver'
  ? AlertsHandler<E>
  : BusHandler<E> | DirectHandler<E> | PowerHandler<E>

/** Client error for a status with which the module refused; undefined gives the general one (400). */
export type RefusalMapping = (refusal: ModuleRefusal) => SlotwireError | undefined

/** What a module service is made of, typed by its contract. */
export interface ModuleServiceDefinition<Endpoints extends Contract['endpoints']> {
  /** Modules that this service drives. */
  readonly vendorProductId: string
  readonly handlers: { readonly [Name in keyof Endpoints]: Handler<Endpoints[Name]> }
  readonly refusal?: RefusalMapping
  /** What the metrics tell of the module. */
  readonly readings?: ModuleReadings<Endpoints>
}

/** A request whose types the contract has already vouched for. */
export interface CheckedRequest {
  readonly body: unknown
  readonly parameters: Readonly<Record<string, number>>
}

/** A handler as the engine calls it: the contract's types are behind it. */
export type CheckedHandler =
  | {
      readonly kind: 'bus'
      run(exchange: Exchange, request: CheckedRequest, surroundings: HandlerContext): Promise<unknown>
    }
  | {
      readonly kind: 'direct'
      run(request: CheckedRequest, surroundings: HandlerContext): unknown
    }
  | {
      readonly kind: 'power'
      run(apply: ApplyPower, request: CheckedRequest, surroundings: HandlerContext): Promise<unknown>
    }

type CheckedBusHandler = Extract<CheckedHandler, { kind: 'bus' }>['run']

/** A module service as the engine serves it. */
export interface ModuleService {
  readonly contract: Contract
  readonly vendorProductId: string
  readonly handlers: Readonly<Record<string, CheckedHandler>>
  readonly refusal?: RefusalMapping
  /** What the module's notifications mean, for the log. */
  readonly readNotification?: NotificationReader
  readonly readings?: CheckedReadings
}

/**
 * Binds handlers to a contract: one for each endpoint, with the types of its body, parameters and reply. Throws when alerts cannot be
 * served as declared.
 */
export function moduleService<const Endpoints extends Contract['endpoints']>(
  contract: Contract<Endpoints>,
  definition: ModuleServiceDefinition<Endpoints>,
): ModuleService {
  const { vendorProductId, refusal, readings } = definition
  // The engine hands a handler only what the contract of its own endpoint has checked.
  const declared: Readonly<Record<string, CheckedBusHandler | CheckedHandler | CheckedAlerts>> = definition.handlers
  const handlers: Record<string, CheckedHandler> = {}
  let readNotification: NotificationReader | undefined
  for (const [name, endpoint] of Object.entries(contract.endpoints)) {
    const handler = declared[name]
    if (typeof handler === 'function') handlers[name] = { kind: 'bus', run: answering(endpoint, handler) }
    else if (handler?.kind === 'alerts') {
      if (readNotification !== undefined) throw new Error(`${endpoint.path}: another endpoint delivers the alerts already`)
      const alerts = servedAlerts(endpoint, handler)
      handlers[name] = alerts.handler
      readNotification = alerts.readNotification
    } else if (handler !== undefined) handlers[name] = handler
  }
  return {
    contract,
    vendorProductId,
    handlers,
    ...(refusal === undefined ? {} : { refusal }),
    ...(readNotification === undefined ? {} : { readNotification }),
    ...(readings === undefined ? {} : { readings }),
  }
}

const success = { status: 'success' } as const

function answering({ reply }: Endpoint, handler: CheckedBusHandler): CheckedBusHandler {
  if (reply !== successSchema) return handler
  return async (exchange, request, surroundings) => {
    await handler(exchange, request, surroundings)
    return success
  }
}

/** Whether modules of this service are configured by the device's power budget. */
export function asksForPower({ handlers }: ModuleService): boolean {
  return Object.values(handlers).some(({ kind }) => kind === 'power')
}
