import type { Endpoint, Schema } from '@slotwire/contract'
import { catalog } from '@slotwire/device/twin'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cases } from '../../../tools/tests/generated-cases.mjs'
import { BenchDevice } from './bench-device.testkit.ts'
import { benchContract } from './bench-extension.ts'

const RUNS = cases(50)
const endpoints = Object.values<Endpoint>(benchContract(catalog).endpoints)

/** Valid and nearly valid values of a field. */
function valueNear(schema: Schema): fc.Arbitrary<unknown> {
  switch (schema.type) {
    case 'number':
    case 'integer': {
      const bounds = 'enum' in schema ? schema.enum : [schema.minimum ?? 0, schema.maximum ?? 1]
      return fc.oneof(
        fc.constantFrom(...bounds, 0, 1, 0.5),
        fc.double({ noNaN: true, min: Math.min(...bounds), max: Math.max(...bounds) }),
      )
    }
    case 'boolean':
      return fc.boolean()
    case 'string':
      return fc.oneof(
        fc.constantFrom(
          '3/1',
          'c2',
          'io',
          'bmc',
          'power',
          'shutdown_switch',
          'fan_blocked',
          'steps:\n  - short: 3/1\n',
          'steps: []',
          'toString',
        ),
        'enum' in schema ? fc.constantFrom(...schema.enum) : fc.string(),
      )
    case 'object': {
      const fields = Object.entries(schema.properties).map(([name, field]) => [name, valueNear(field)] as const)
      return fc.oneof(fc.jsonValue(), fc.record(Object.fromEntries(fields), { requiredKeys: [...schema.required] }))
    }
    default:
      return fc.jsonValue()
  }
}

function bodyNear({ body }: Endpoint): fc.Arbitrary<unknown> {
  if (body === undefined) return fc.constant(undefined)
  const values = Object.fromEntries(Object.entries(body.properties).map(([name, schema]) => [name, valueNear(schema)]))
  return fc.oneof(
    { weight: 6, arbitrary: fc.record(values, { requiredKeys: [...body.required] }) },
    { weight: 1, arbitrary: fc.record(values, { requiredKeys: [] }) },
    { weight: 1, arbitrary: fc.jsonValue() },
  )
}

/** Excludes requests that need twin time: long steps, and a factory reset of a module that a fault keeps from answering. */
const quick = endpoints.filter(({ path }) => !path.endsWith('/time/step') && !path.endsWith('/factory_reset'))

const request = fc.constantFrom(...quick).chain((endpoint) =>
  fc.record({
    method: fc.constant(endpoint.method),
    path: fc
      .tuple(fc.nat({ max: 8 }), fc.nat({ max: 7 }), fc.nat({ max: 12 }))
      .map(([slot, pin, number]) =>
        endpoint.path.replace('{slot}', `${slot}`).replace('{pin}', `${pin}`).replace('{number}', `${number}`),
      ),
    body: bodyNear(endpoint),
  }),
)

describe('any request to the bench', () => {
  it('gets an answer, never a 5xx', async () => {
    const device = await BenchDevice.start()
    const statuses = new Set<number>()
    await fc.assert(
      fc.asyncProperty(request, async ({ method, path, body }) => {
        const answer = device.ask(method, path, body)
        await device.real.advance(10)
        const { status, message } = await answer
        statuses.add(status)
        expect(status, String(message)).toBeLessThan(500)
        if (status >= 400) expect(message).toMatch(/\S/)
      }),
      { numRuns: RUNS },
    )
    expect([...statuses].sort()).toEqual(expect.arrayContaining([200, 422]))
  })
})
