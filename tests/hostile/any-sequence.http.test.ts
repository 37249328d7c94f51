import type { Contract, Endpoint, Schema } from '@slotwire/contract'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import * as allContracts from '../../modules/contracts.ts'
import { cases } from '../../tools/tests/generated-cases.mjs'
import { endpointsOf, targetOf, urlOf } from '../device/bad-request.testkit.ts'
import { Device } from '../device/device.testkit.ts'
import { worlds } from '../device/worlds.testkit.ts'

const contracts: readonly Contract[] = Object.values(allContracts)
const SEQUENCES = cases(4)
const STEPS = 60
/** Time for a restart of the device and its modules. */
const RESTART_MS = 4000

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

interface Step {
  readonly method: string
  readonly url: string
  readonly body: unknown
  readonly thenMs: number
}

/** Uses the example half of the time: it works on the default twin, and enables requests that depend on it. */
function bodyOf({ body, example }: Endpoint): fc.Arbitrary<unknown> {
  return body === undefined ? fc.constant(undefined) : fc.oneof(fc.constant(example), anyOf(body))
}

/** A valid request to one of the slots, with parameters within their bounds, and the time until the next. */
function anyRequest(contract: Contract, endpoint: Endpoint, slots: readonly number[]): fc.Arbitrary<Step> {
  const parameters = Object.values(endpoint.parameters ?? {}).map(({ min, max }) => fc.integer({ min, max }))
  return fc.record({
    method: fc.constant(endpoint.method),
    url: fc.tuple(fc.constantFrom(...slots), fc.tuple(...parameters)).map(([slot, values]) => {
      const left = [...values]
      const path = endpoint.path.replaceAll(/\{\w+\}/g, () => `${left.shift()}`)
      return urlOf({ ...targetOf(contract, endpoint), slot: `${slot}`, path })
    }),
    body: bodyOf(endpoint),
    thenMs: fc.oneof(fc.constant(0), fc.double({ min: 0, max: 50, noNaN: true }), fc.integer({ min: 0, max: 1500 })),
  })
}

describe.each(worlds.map((world) => [world.name, world] as const))('any sequence of valid requests (%s)', (_name, world) => {
  it('gets no 5xx while the device is up, and each answer is a success or has an error body', async () => {
    const steps = contracts.flatMap((contract) =>
      endpointsOf(contract).map(([, endpoint]) => ({
        // Resets are rare, otherwise most sequences would not get far.
        weight: endpoint.path.endsWith('reset') ? 1 : contract.service === 'io' ? 20 : 4,
        arbitrary: anyRequest(contract, endpoint, contract.defaultSlots),
      })),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(...steps), { maxLength: STEPS, size: 'max' }), async (sequence) => {
        const device = new Device({}, world)
        await device.start()
        device.chassis.wiring.wire('5/6', '3/6')
        for (const { method, url, body, thenMs } of sequence) {
          if (device.chassis.state !== 'up') await device.advance(RESTART_MS)
          const { status, text } = method === 'GET' ? await device.get(url) : await device.post(url, body)
          const isThere = device.chassis.state === 'up' && device.chassis.present().length === 4
          const allowed = isThere ? [200, 400, 422] : [200, 400, 404, 422, 502]
          expect(allowed, `${method} ${url} ${JSON.stringify(body)}: ${text}`).toContain(status)
          await device.advance(thenMs)
        }
        await device.close()
      }),
      { numRuns: SEQUENCES },
    )
  })
})
