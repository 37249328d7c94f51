import type { CallArguments, DeviceOf, EndpointsOf, ModuleOf, Reply } from '@slotwire/client'
import type { descriptorSchema, Endpoint, StateDocument, ValueOf } from '@slotwire/contract'
import type * as clients from '@slotwire/modules/clients'

export type Clients = typeof clients
/** Name of a service: `io`. */
export type Service = keyof Clients
export type Device = DeviceOf<Clients>
export type ModuleClientOf<S extends Service> = ModuleOf<Clients[S]>
export type EndpointsOfService<S extends Service> = EndpointsOf<Clients[S]['contract']>
/** Name of an endpoint: `getStats`. */
export type EndpointName<S extends Service> = keyof EndpointsOfService<S> & string
type EndpointOf<S extends Service, N extends EndpointName<S>> = Extract<EndpointsOfService<S>[N], Endpoint>
export type ReplyTo<S extends Service, N extends EndpointName<S>> = Reply<EndpointOf<S, N>>
/** The input of an endpoint, if it has one: the fields of its body and the numbers in its path. */
export type InputFor<S extends Service, N extends EndpointName<S>> = CallArguments<EndpointOf<S, N>>
export type Descriptor = ValueOf<typeof descriptorSchema>

/** A module that is there. */
export type ModuleView = StateDocument['modules'][number] & {
  readonly service: Service
  /** As last acknowledged; docs/guide/events.md, "The state". */
  readonly state: Readonly<Record<string, unknown>>
  /** Undefined until it is read. */
  readonly descriptor: Descriptor | undefined
}
