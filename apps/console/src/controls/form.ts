import { type Signal, useSignal } from '@preact/signals'
import { type Endpoint, genericEndpoints, type ObjectSchema, type Schema } from '@slotwire/contract'
import * as clients from '@slotwire/modules/clients'
import type { EndpointName, InputFor, Service } from '../store/device-types.ts'

/** The input of an endpoint while the user edits it. The contract has its bounds, units and words. */
export interface Form<Input> {
  /** What the fields have now; check it by making a write of it. */
  readonly input: Signal<Input>
  /** The contract's schema of a field. */
  schemaOf(name: keyof Input & string): Schema
}

/**
 * Edits the input of an endpoint: `const form = useForm('io', 'setAnalogThreshold', { pin, threshold_millivolt: 1500, trigger: 'rising' })`.
 * Show its fields by `<Field form={form} name="trigger" />`.
 */
export function useForm<S extends Service, N extends EndpointName<S>>(
  service: S,
  name: N,
  initial: NonNullable<InputFor<S, N>[0]>,
): Form<NonNullable<InputFor<S, N>[0]>> {
  const input = useSignal(initial)
  const endpoints: Readonly<Record<string, Endpoint>> = { ...clients[service].contract.endpoints, ...genericEndpoints }
  const { body, parameters = {} } = endpoints[name] as Endpoint
  return { input, schemaOf: (field) => fieldSchema(body, parameters, field) }
}

function fieldSchema(body: ObjectSchema | undefined, parameters: NonNullable<Endpoint['parameters']>, name: string): Schema {
  const bounds = parameters[name]
  const schema = body?.properties[name]
  if (schema !== undefined) return schema
  if (bounds === undefined) throw new Error(`there is no field ${name}`)
  return { type: 'integer', minimum: bounds.min, maximum: bounds.max }
}
