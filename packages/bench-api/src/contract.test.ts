import { compile, compileBody, type Endpoint, extensionDocument, possibleErrors } from '@slotwire/contract'
import { catalog } from '@slotwire/device/twin'
import { elementFrom, elementKinds, faultFrom, faultKinds } from '@slotwire/twin'
import { describe, expect, it } from 'vitest'
import { benchContract } from './contract.ts'
import { withCodeNames } from './json-names.ts'

const endpoints = Object.entries<Endpoint>(benchContract(catalog).endpoints).map(([name, endpoint]) => ({ name, endpoint }))

describe('benchContract', () => {
  it('has unique endpoints, all below /slotwire/bench', () => {
    for (const { endpoint } of endpoints)
      expect(endpoint.path).toMatch(/^\/slotwire\/bench(\/[a-z_0-9]+|\/\{(slot|pin|number)\})*$/)
    const ways = endpoints.map(({ endpoint: { method, path } }) => `${method} ${path}`)
    expect(new Set(ways).size).toBe(ways.length)
  })

  it('has all endpoints of the twin specification', () => {
    expect(endpoints.map(({ endpoint: { method, path } }) => `${method} ${path.replace('/slotwire/bench', '')}`)).toEqual(
      expect.arrayContaining([
        'GET ',
        'GET /wiring',
        'GET /pin/{slot}/{pin}',
        'POST /pin/{slot}/{pin}/source',
        'POST /pin/{slot}/{pin}/short',
        'POST /pin/{slot}/{pin}/square_wave',
        'POST /pin/{slot}/{pin}/wire',
        'POST /pin/{slot}/{pin}/disconnect',
        'POST /connection/{number}/set',
        'POST /connection/{number}/disconnect',
        'GET /trace',
        'POST /trace/start',
        'POST /trace/stop',
        'GET /trace/vcd',
        'GET /trace/csv',
        'GET /slots',
        'POST /slot/{slot}/plug',
        'POST /slot/{slot}/unplug',
        'POST /slot/{slot}/factory_reset',
        'POST /slot/{slot}/press',
        'POST /slot/{slot}/break',
        'POST /slot/{slot}/fault/crc_errors',
        'POST /slot/{slot}/fault/memory_loss',
        'GET /faults',
        'POST /faults/clear',
        'POST /slot/{slot}/faults/clear',
        'POST /fault/{number}/clear',
        'POST /ambient',
        'POST /computer',
        'POST /rail',
        'POST /restart',
        'POST /usb/attach',
        'POST /usb/detach',
        'POST /usb/host',
        'GET /time',
        'POST /time/pace',
        'POST /time/pause',
        'POST /time/resume',
        'POST /time/step',
        'GET /scenario',
        'POST /scenario/start',
        'POST /scenario/stop',
      ]),
    )
    expect(Object.keys(benchContract({}).endpoints)).not.toContain('setSlot')
    expect(endpoints.filter(({ name }) => name.startsWith('connect'))).toHaveLength(Object.keys(elementKinds).length)
    expect(endpoints.filter(({ name }) => name.startsWith('inject'))).toHaveLength(Object.keys(faultKinds).length)
  })

  it('has an API document', () => {
    const { paths, tags, components } = extensionDocument(benchContract(catalog), { version: '1.0.0' })
    expect(tags.at(-1)?.name).toBe('bench')
    const source = paths['/slotwire/bench/pin/{slot}/{pin}/source']?.post
    expect(source?.requestBody?.content['application/json']).toMatchObject({
      schema: { $ref: '#/components/schemas/BenchConnectSourceRequest' },
      example: { volts: 24, ohms: 10_000 },
    })
    expect(components.schemas['BenchConnectSourceRequest']).toMatchObject({
      properties: {
        volts: { type: 'number', minimum: -1000, maximum: 1000, 'x-unit': 'V', description: 'its voltage' },
        ohms: { 'x-unit': 'Ω', description: 'its internal resistance; default 0' },
      },
      required: ['volts'],
    })
    expect(components.schemas['BenchSetConnectionRequest']).toMatchObject({
      not: {
        anyOf: [
          { required: ['amplitude_volts', 'low_volts'] },
          { required: ['amplitude_volts', 'high_volts'] },
          { required: ['offset_volts', 'low_volts'] },
          { required: ['offset_volts', 'high_volts'] },
          { required: ['press_for_ms', 'pressed'], properties: { pressed: { const: false } } },
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

const kindsWithSettings = [
  ...Object.values(elementKinds).map(({ kind }) => ({
    kind,
    name: `connect${kind.slice(0, 1).toUpperCase()}${kind.slice(1)}`,
    make: elementFrom,
  })),
  ...Object.values(faultKinds).map(({ kind }) => ({
    kind,
    name: `inject${kind.slice(0, 1).toUpperCase()}${kind.slice(1)}`,
    make: faultFrom,
  })),
]

describe.each(kindsWithSettings)('the body of $name', ({ name, kind, make }) => {
  const { body, example = {} } = benchContract(catalog).endpoints[name] as Endpoint
  const { for_ms: _forMs, other, contact, ...settings } = example as Record<string, unknown>

  it('is accepted by the twin', () => {
    expect(() => make(kind, withCodeNames(settings))).not.toThrow()
  })

  it('requires only fields that the twin requires', () => {
    for (const field of Object.keys(settings)) {
      const { [field]: _left, ...others } = settings
      let isAccepted = true
      try {
        make(kind, withCodeNames(others))
      } catch {
        isAccepted = false
      }
      if (body?.required.includes(field)) expect([field, isAccepted]).toEqual([field, false])
      const pins = { ...(other === undefined ? {} : { other }), ...(contact === undefined ? {} : { contact }) }
      if (isAccepted && body !== undefined) expect(compile(body)({ ...others, ...pins })).toBeUndefined()
    }
  })
})
