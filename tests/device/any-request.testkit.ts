import type { Contract, Endpoint, Schema } from '@slotwire/contract'
import fc from 'fast-check'
import { targetOf, urlOf } from './bad-request.testkit.ts'

/** Values that a schema allows, often at its bounds. */
function anyOf(schema: Schema): fc.Arbitrary<unknown> {
  switch (schema.type) {
    case 'integer': {
      if ('enum' in schema) return fc.constantFrom(...schema.enum)
      const { minimum: min = 0, maximum: max = 3_600_000 } = schema
      return fc.oneof(fc.constantFrom(min, max), fc.integer({ min, max }), fc.integer({ min, max: Math.min(max, min + 60) }))
    }
    case 'boolean':
      return fc.boolean()
    case 'string':
      return 'enum' in schema ? fc.constantFrom(...schema.enum) : fc.constant('const' in schema ? schema.const : 'text')
    case 'number':
      return fc.double({ noNaN: true })
    case 'array':
      return fc.array(anyOf(schema.items), { minLength: schema.minItems ?? 0, maxLength: schema.maxItems ?? 3 })
    case 'object':
      return fc.record(Object.fromEntries(Object.entries(schema.properties).map(([name, property]) => [name, anyOf(property)])))
  }
}

/** A request with a body of its endpoint's schema. */
export interface ValidRequest {
  readonly method: string
  readonly url: string
  readonly body: unknown
}

/** Uses the example half of the time: it works on the default twin, and enables requests that depend on it. */
function bodyOf({ body, example }: Endpoint): fc.Arbitrary<unknown> {
  return body === undefined ? fc.constant(undefined) : fc.oneof(fc.constant(example), anyOf(body))
}

/** A valid request to a default slot, with parameters within their bounds. */
export function anyRequest(contract: Contract, endpoint: Endpoint): fc.Arbitrary<ValidRequest> {
  const parameters = Object.values(endpoint.parameters ?? {}).map(({ min, max }) => fc.integer({ min, max }))
  return fc.record({
    method: fc.constant(endpoint.method),
    url: fc.tuple(fc.constantFrom(...contract.defaultSlots), fc.tuple(...parameters)).map(([slot, values]) => {
      const left = [...values]
      const path = endpoint.path.replaceAll(/\{\w+\}/g, () => `${left.shift()}`)
      return urlOf({ ...targetOf(contract, endpoint), slot: `${slot}`, path })
    }),
    body: bodyOf(endpoint),
  })
}
