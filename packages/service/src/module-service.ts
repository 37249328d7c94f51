import type { BodyOf, Contract, Endpoint, ParametersOf, ReplyOf } from '@slotwire/contract'
import type { Backplane, Log, SlotwireError } from '@slotwire/core'
import type { Exchange, PowerGate, SlotApi } from '@slotwire/driver'
import type { ModuleRefusal } from '@slotwire/sdbp'

/** What a handler gets to know of its request, checked against the contract. */
export interface Request<E extends Endpoint> {
  readonly body: BodyOf<E>
  readonly parameters: ParametersOf<E>
}

/** What a handler may use beside its module. */
export interface Surroundings {
  readonly slot: SlotApi
  readonly backplane: Backplane
  readonly power: PowerGate
  readonly log: Log
}

/** A reply that must be taken back when it could not be delivered. */
export class Delivery<Reply> {
  readonly reply: Reply
  readonly takeBack: () => void

  constructor(reply: Reply, takeBack: () => void) {
    this.reply = reply
    this.takeBack = takeBack
  }
}

/** Talks to the module in one job of its own, shared or not as the endpoint's effect says. */
export interface BusHandler<E extends Endpoint> {
  readonly kind: 'bus'
  readonly run: (exchange: Exchange, request: Request<E>, surroundings: Surroundings) => Promise<ReplyOf<E>>
}

/** Does without the bus, or goes to it in its own way. */
export interface DirectHandler<E extends Endpoint> {
  readonly kind: 'direct'
  readonly run: (request: Request<E>, surroundings: Surroundings) => Promise<ReplyOf<E>> | ReplyOf<E> | Delivery<ReplyOf<E>>
}

export type Handler<E extends Endpoint> = BusHandler<E> | DirectHandler<E>

/** A module service: a contract, and for each endpoint what is done. */
export interface ModuleService<C extends Contract = Contract> {
  readonly contract: C
  /** Modules that this service drives. */
  readonly vendorProductId: string
  readonly handlers: { readonly [Name in keyof C['endpoints']]: Handler<C['endpoints'][Name]> }
  /** Client error for a status with which the module refused; undefined gives the general one (400). */
  readonly refusal?: (refusal: ModuleRefusal) => SlotwireError | undefined
}
