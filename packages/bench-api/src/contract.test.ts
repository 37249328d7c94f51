import { compileBody, type Endpoint, extensionDocument, possibleErrors } from '@slotwire/contract'
import { catalog } from '@slotwire/device/twin'
import { benchActions } from '@slotwire/twin'
import { describe, expect, it } from 'vitest'
import { benchContract } from './bench-extension.ts'

const endpoints = Object.entries<Endpoint>(benchContract(catalog).endpoints).map(([name, endpoint]) => ({ name, endpoint }))

describe('benchContract', () => {
  it('has unique endpoints, all below /slotwire/bench', () => {
    for (const { endpoint } of endpoints) expect(endpoint.path).toMatch(/^\/slotwire\/bench(\/[a-z_0-9]+|\/\{(slot|pin)\})*$/)
    const ways = endpoints.map(({ endpoint: { method, path } }) => `${method} ${path}`)
    expect(new Set(ways).size).toBe(ways.length)
  })

  it('has an endpoint for each action', () => {
    const actions = Object.keys(benchActions({}))
    expect(endpoints.map(({ endpoint: { path } }) => path)).toEqual(
      expect.arrayContaining(actions.map((name) => `/slotwire/bench/${name}`)),
    )
  })

  it('has an API document with the settings of each element', () => {
    const { paths, tags, components } = extensionDocument(benchContract(catalog), { version: '1.0.0' })
    expect(tags.at(-1)?.name).toBe('bench')
    expect(paths['/slotwire/bench/connect']?.post?.requestBody?.content['application/json']).toMatchObject({
      schema: { $ref: '#/components/schemas/BenchConnectRequest' },
      example: { pin: '3/1', to: { source: { volts: 24, ohms: 10_000 } } },
    })
    expect(components.schemas['SourceSettings']).toMatchObject({
      properties: {
        volts: { type: 'number', minimum: -1000, maximum: 1000, 'x-unit': 'V', description: 'its voltage' },
        ohms: { 'x-unit': 'Ω', description: 'its internal resistance; default 0' },
      },
      required: ['volts'],
    })
    expect(components.schemas['BenchSetRequest']).toMatchObject({
      not: {
        anyOf: [
          { required: ['press_for_ms', 'pressed'], properties: { pressed: { const: false } } },
          { required: ['amplitude_volts', 'low_volts'] },
          { required: ['amplitude_volts', 'high_volts'] },
          { required: ['offset_volts', 'low_volts'] },
          { required: ['offset_volts', 'high_volts'] },
        ],
      },
    })
  })
})

describe.each(endpoints)('$name', ({ endpoint }) => {
  it('has a valid example for its body, and one within the bounds for each parameter', () => {
    expect(endpoint.example === undefined).toBe(endpoint.body === undefined)
    if (endpoint.example !== undefined) expect(compileBody(endpoint)(endpoint.example)).toBeUndefined()
    expect([...endpoint.path.matchAll(/\{(\w+)\}/g)].map(([, brace]) => brace)).toEqual(Object.keys(endpoint.parameters ?? {}))
    for (const { min, max, example } of Object.values(endpoint.parameters ?? {})) {
      expect(example).toBeGreaterThanOrEqual(min)
      expect(example).toBeLessThanOrEqual(max)
    }
  })

  it('lists no error that its kind already implies', () => {
    const implied = possibleErrors({ ...endpoint, errors: [] }, 'extension')
    expect(endpoint.errors.filter(({ definition }) => implied.includes(definition))).toEqual([])
  })

  it('uses JSON names in its descriptions', () => {
    expect(JSON.stringify(endpoint)).not.toMatch(/\b(low|high|amplitude|offset|press|serial|for|frequency)[A-Z]\w*/)
  })
})
