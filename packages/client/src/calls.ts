import {
  type BodyOf,
  type Contract,
  compileBody,
  type Endpoint,
  genericEndpoints,
  isGuarded,
  outOfRange,
  type ParametersOf,
  type ReplyOf,
  type Schema,
  servicePath,
  successSchema,
} from '@slotwire/contract'
import { isRecord } from '@slotwire/core'
import { ClientError } from './client-error.ts'
import type { Call } from './http-client.ts'

type GenericEndpoints = typeof genericEndpoints
/** All endpoints of a module of a contract, by their names: those of its type, `reset` and `descriptor`. */
export type EndpointsOf<C extends Contract> = C['endpoints'] & GenericEndpoints

type FieldsOf<T> = T extends undefined ? unknown : T
/** The fields of the body, and the numbers in the path. */
export type InputOf<E extends Endpoint> = (E extends { readonly body: object } ? FieldsOf<BodyOf<E>> : unknown) &
  (E extends { readonly parameters: object } ? ParametersOf<E> : unknown)

/** What a caller gives to a call of this endpoint, before the options. */
export type CallArguments<E extends Endpoint> = E extends { readonly body: object } | { readonly parameters: object }
  ? [input: InputOf<E>]
  : []
export type Reply<E extends Endpoint> = ReplyOf<E>

/** `getStats` is `stats`; other names stay. */
export type ShortName<Name extends string> = Name extends `get${infer Rest}` ? Uncapitalize<Rest> : Name

export function shortName(name: string): string {
  return name.replace(/^get([A-Z])/, (_, letter: string) => letter.toLowerCase())
}

/** One endpoint, ready to be called: its checks are made once. */
export interface PreparedCall {
  readonly isWrite: boolean
  /** Whether a caller gives an input before the options. */
  readonly hasInput: boolean
  /** Whether leases and `If-Match` can refuse it. */
  readonly isGuarded: boolean
  /** Whether every lease of the device can refuse it. */
  readonly isDeviceWide: boolean
  /** Throws `invalid` in the words of the server, before anything is sent. */
  toCall(slot: number, input: Readonly<Record<string, unknown>>): Call
}

/** The endpoints of a contract, by name. Made once for each contract. */
export function preparedCalls({ service, endpoints }: Contract): ReadonlyMap<string, PreparedCall> {
  const all: Readonly<Record<string, Endpoint>> = { ...endpoints, ...genericEndpoints }
  return new Map(Object.entries(all).map(([name, endpoint]) => [name, prepared(service, endpoint)]))
}

function prepared(service: string, endpoint: Endpoint): PreparedCall {
  const { method, path, parameters = {}, effect } = endpoint
  const validate = compileBody(endpoint)
  const numbers = Object.entries(parameters)
  // Of a write that only succeeds the status counts: a proxy may have changed the body (spec "Errors", rule 2).
  const accepts = (reply: unknown): boolean => endpoint.reply === successSchema || hasForm(endpoint.reply, reply)
  return {
    isWrite: effect === 'write' || effect === 'action',
    hasInput: endpoint.body !== undefined || numbers.length > 0,
    isGuarded: isGuarded(endpoint, 'slot'),
    isDeviceWide: endpoint.reach === 'device',
    toCall(slot, input) {
      const body = new Map(Object.entries(input))
      let filled = `${servicePath(service)}/${slot}${path}`
      const fail = (problem: string | undefined): void => {
        if (problem !== undefined) throw new ClientError(`${method} ${filled}: ${problem}`, { kind: 'invalid' })
      }
      for (const [name, bounds] of numbers) {
        const argument = body.get(name)
        const value = typeof argument === 'number' ? argument : Number.NaN
        body.delete(name)
        fail(
          Number.isInteger(value) && value >= bounds.min && value <= bounds.max ? undefined : outOfRange(name, bounds, argument),
        )
        filled = filled.replace(`{${name}}`, String(value))
      }
      const call = { method, path: filled, safe: effect === 'read', accepts }
      if (endpoint.body === undefined) return call
      const sent = Object.fromEntries(body)
      fail(validate(sent))
      return { ...call, body: sent }
    },
  }
}

/** Whether a value has the objects and lists of a schema. What else is in them may differ between servers. */
export function hasForm(schema: Schema, value: unknown): boolean {
  if (schema.type === 'array') return Array.isArray(value) && value.every((item) => hasForm(schema.items, item))
  if (schema.type !== 'object') return true
  return isRecord(value) && schema.required.every((name) => hasForm(schema.properties[name] as Schema, value[name]))
}
