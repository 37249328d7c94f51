import { coreErrors, defineErrors } from '@slotwire/core'
import { describe, expect, it } from 'vitest'
import type { Contract } from '../endpoint.ts'
import { reads, writes } from '../endpoint-kinds.ts'
import { integer, named, objectOf } from '../fields.ts'
import { openApiDocument } from './document.ts'

const errors = defineErrors({
  stuck: { status: 400, message: 'relay {relay} is stuck: tap it', retryable: true },
})
const contract = {
  service: 'relay',
  serviceName: 'relay-module',
  port: 8004,
  title: 'Relay',
  description: 'Clicks.',
  defaultSlots: [4],
  endpoints: {
    getRelay: {
      ...reads,
      path: '/relay/{relay}',
      parameters: { relay: { min: 1, max: 2, description: 'number of the relay', example: 2 } },
      reply: objectOf({ clicks: integer({ min: 0 }) }),
      caching: 'one-second',
      summary: 'Counts clicks',
      spec: 'Relay, rule 1',
    },
    setRelay: {
      ...writes,
      path: '/relay',
      body: objectOf({ milliseconds: integer({ min: 1, max: 9, unit: 'ms' }) }),
      summary: 'Clicks',
      description: 'Loudly.',
      errors: [errors.stuck],
      spec: 'Relay, rule 2',
      example: { milliseconds: 3 },
    },
  },
} as const satisfies Contract

const { paths, components, tags, info, security } = openApiDocument([contract], { version: '1.2.3', title: 'Relays' })
const getRelay = paths['/api/relay/1.0/{slot}/relay/{relay}']?.get
const setRelay = paths['/api/relay/1.0/{slot}/relay']?.post

/** The error codes behind a status of an operation. */
function codes(responses: NonNullable<typeof setRelay>['responses'] | undefined, status: number): readonly string[] {
  const response = responses?.[status]
  if (response === undefined || !('$ref' in response)) return []
  return components.responses[response.$ref.replace('#/components/responses/', '')]?.['x-error-codes'] ?? []
}

describe('openApiDocument', () => {
  it('has the title, version and licence', () => {
    expect(info).toMatchObject({ title: 'Relays', version: '1.2.3', license: { identifier: 'MIT' } })
    expect(tags.map(({ name }) => name)).toEqual(['relay', 'health'])
  })

  it('has the generic endpoints, those of the module, and the process state', () =>
    expect(Object.keys(paths)).toEqual([
      ...'/api/relay/1.0/ /api/relay/1.0/{slot}/relay/{relay} /api/relay/1.0/{slot}/relay'.split(' '),
      ...'/api/relay/1.0/{slot}/reset /api/relay/1.0/{slot}/descriptor /slotwire /slotwire/livez'.split(' '),
      ...'/slotwire/readyz /slotwire/metrics /slotwire/state /slotwire/events /slotwire/history /slotwire/past'.split(' '),
    ]))

  it('gives parameters their bounds and examples', () =>
    expect(getRelay?.parameters).toEqual([
      expect.objectContaining({ name: 'slot', in: 'path', required: true, schema: { type: 'integer', minimum: 0 }, example: 4 }),
      expect.objectContaining({ name: 'relay', in: 'path', schema: { type: 'integer', minimum: 1, maximum: 2 }, example: 2 }),
      expect.objectContaining({ name: 'Cache-Control', in: 'header', required: false }),
    ]))

  it('gives bodies their schema and example, with a reference to the specification', () =>
    expect(setRelay).toMatchObject({
      operationId: 'relay.setRelay',
      tags: ['relay'],
      summary: 'Clicks',
      description: 'Loudly.',
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: { $ref: '#/components/schemas/RelaySetRelayRequest' },
            example: { milliseconds: 3 },
          },
        },
      },
      'x-spec': 'Relay, rule 2',
      'x-effect': 'write',
    }))

  it('stores each object once, by its title or its place; only bodies are closed', () => {
    const milliseconds = { type: 'integer', minimum: 1, maximum: 9, 'x-unit': 'ms' }
    const fields = (properties: object) => ({ type: 'object', properties, required: Object.keys(properties) })
    expect(components.schemas).toMatchObject({
      RelaySetRelayRequest: { ...fields({ milliseconds }), additionalProperties: false },
      RelayGetRelayReply: fields({ clicks: { type: 'integer', minimum: 0 } }),
    })
    expect(components.schemas['RelayGetRelayReply']).not.toHaveProperty('additionalProperties')
    expect(components.schemas['Session']).toEqual({ type: 'string' })
    const device = components.schemas['Device'] as { properties: Record<string, unknown> }
    const session = {
      $ref: '#/components/schemas/Session',
      description: expect.stringContaining('initialise the device') as string,
    }
    expect(device.properties['device_session']).toEqual(session)
  })

  it('refuses two schemas of one name', () => {
    const twice = (max: number) => ({
      ...contract.endpoints.setRelay,
      path: `/relay/${max}`,
      reply: named('Clicks', objectOf({ n: integer({ max }) })),
    })
    const endpoints = { one: twice(1), two: twice(2) }
    expect(() => openApiDocument([{ ...contract, endpoints }], { version: '1' })).toThrow('two schemas are named Clicks')
  })

  it('describes the metrics as plain text', () => {
    const response = paths['/slotwire/metrics']?.get?.responses['200']
    expect(response).toMatchObject({ content: { 'text/plain': { schema: { type: 'string' } } } })
    expect(getRelay?.responses['200']).toMatchObject({
      content: { 'application/json': { schema: { $ref: '#/components/schemas/RelayGetRelayReply' } } },
    })
  })

  it('describes how old a value may be', () => {
    expect(Object.keys(getRelay?.responses['200'] ?? {})).toContain('headers')
    expect(getRelay?.responses['200']).toMatchObject({
      headers: { Age: { $ref: '#/components/headers/Age' }, 'Cache-Control': { $ref: '#/components/headers/NoCache' } },
    })
    expect(setRelay?.responses['200']).toMatchObject({ headers: { 'Cache-Control': { $ref: '#/components/headers/NoStore' } } })
  })

  it('lists every status that can occur', () => {
    const statuses = Object.keys(setRelay?.responses ?? {})
    expect(statuses).toEqual('200 400 401 403 404 405 408 409 412 413 415 422 423 429 431 500 502 503'.split(' '))
    const withoutBody = Object.keys(getRelay?.responses ?? {})
    expect(withoutBody).toEqual(['200', '400', '401', '403', '404', '405', '408', '429', '431', '500', '502', '503'])
    expect(Object.keys(paths['/slotwire/livez']?.get?.responses ?? {})).not.toContain('502')
    expect(codes(paths['/slotwire/readyz']?.get?.responses, 502)).toEqual([coreErrors.deviceRestarting.definition.code])
  })

  it('names the errors behind a status, including those of the endpoint', () => {
    expect(codes(setRelay?.responses, 400)).toContain('stuck')
    expect(codes(getRelay?.responses, 400)).not.toContain('stuck')
    expect(codes(getRelay?.responses, 404)).toContain(coreErrors.noSuchItem.definition.code)
    expect(codes(setRelay?.responses, 404)).not.toContain(coreErrors.noSuchItem.definition.code)
  })

  it('lists the accepted credentials, and that the loopback door needs none', () => {
    expect(security).toEqual([{}, { token: [] }, { bearer: [] }])
    expect(components.securitySchemes['token']).toMatchObject({ type: 'http', scheme: 'basic' })
    expect(info['description']).toContain('no credentials are needed')
  })

  it('describes the headers of an access refusal', () => {
    const headersOf = (status: number) => Object.keys(components.responses[`Error${status}`]?.headers ?? {})
    expect([headersOf(401), headersOf(429)]).toEqual([
      ['Slotwire-Error', 'WWW-Authenticate'],
      ['Slotwire-Error', 'Retry-After'],
    ])
  })

  it('lets read-only callers use operations that change nothing', () => {
    expect(codes(setRelay?.responses, 403)).toContain('read-only')
    expect(codes(getRelay?.responses, 403)).toEqual(expect.arrayContaining(['host-not-loopback', 'cross-site']))
    expect(codes(getRelay?.responses, 403)).not.toContain('read-only')
  })

  it('has the error body of the specification for every error', () => {
    for (const response of Object.values(components.responses)) {
      expect(response.content['application/json']?.schema).toEqual({ $ref: '#/components/schemas/Error' })
    }
    expect(components.schemas['Error']).toMatchObject({
      required: ['status', 'code', 'message'],
      properties: { status: { const: 'error' }, code: { type: 'integer' }, message: { type: 'string' } },
    })
  })
})
