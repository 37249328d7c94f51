import { ClientError, shortName } from '@slotwire/client'
import { type Endpoint, genericEndpoints } from '@slotwire/contract'
import * as clients from '@slotwire/modules/clients'
import type { DeviceStore } from './device-store.ts'
import type { EndpointName, InputFor, Service } from './device-types.ts'
import { reasonOf } from './reason.ts'
import type { ShownRequest } from './sent.ts'

export type { ShownRequest }

/** A request that a control can send. Make one with `moduleWrite` or `plainWrite`, at each render: it costs next to nothing. */
export interface Write {
  /** Undefined while the input is not valid. */
  readonly request: ShownRequest | undefined
  /** Why the input is not valid, in the words of the server. */
  readonly problem: string | undefined
  /** Slots that this page must drive; empty: none. */
  readonly slots: readonly number[]
  /** What it does to a running device, in English, from the contract. The user is asked before. */
  readonly danger: string | undefined
  /** Service and endpoint: `io setOutputState`; for texts. */
  readonly name: string
  /** The call in TypeScript, below `device`; undefined: not in the client. */
  readonly typescript: string | undefined
  send(): Promise<unknown>
}

/** A write to a module, by the name of its endpoint. Lease and session come from the client. */
export function moduleWrite<S extends Service, N extends EndpointName<S>>(
  store: DeviceStore,
  service: S,
  slot: number,
  name: N,
  ...args: InputFor<S, N>
): Write {
  const endpoints: Readonly<Record<string, Endpoint>> = { ...clients[service].contract.endpoints, ...genericEndpoints }
  const { danger, reach } = endpoints[name] as Endpoint
  const module = store.module(service, slot)
  const input = args[0] as Readonly<Record<string, unknown>> | undefined
  const all = store.modules.list.value.map((present) => present.slot)
  const slots = reach === 'none' ? [] : reach === 'device' ? all : [slot]
  // The types of the contracts are checked at the callers; here the service is any of them.
  const caller = module as unknown as { call(name: string, ...args: readonly unknown[]): Promise<unknown> }
  const argument = input === undefined ? '' : objectLiteral(input)
  const typescript = `${service}(${slot}).${shortName(name)}(${argument})`
  const common = { slots, danger, name: `${service} ${name}`, typescript, send: () => caller.call(name, ...args) }
  try {
    const { method, path, body } = module.requestOf(name, input)
    return { ...common, request: { method, path, ...(body === undefined ? {} : { body }) }, problem: undefined }
  } catch (error) {
    if (!(error instanceof ClientError)) throw error
    return { ...common, request: undefined, problem: reasonOf(error) }
  }
}

/** A request outside the modules, below `/slotwire/`: the bench, for example. It needs no lease. */
export function plainWrite(store: DeviceStore, request: ShownRequest, problem?: string): Write {
  const { http } = store.device.context
  const { method, path, body } = request
  return {
    request: problem === undefined ? request : undefined,
    problem,
    slots: [],
    danger: undefined,
    name: `${method} ${path}`,
    typescript: undefined,
    send: () => http.request({ method, path, ...(body === undefined ? {} : { body }) }),
  }
}

/** `{ pin: 1, state: 'high' }`. */
function objectLiteral(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(objectLiteral).join(', ')}]`
  if (typeof value === 'string') return quoted(value)
  if (typeof value !== 'object' || value === null) return String(value)
  const fields = Object.entries(value).map(([name, field]) => `${name}: ${objectLiteral(field)}`)
  return `{ ${fields.join(', ')} }`
}

/** A text as JavaScript and Python write it. */
export function quoted(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&')}'`
}
