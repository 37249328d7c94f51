import { readFileSync } from 'node:fs'
import { type Contract, certificateContract, extensionDocument, genericEndpoints, openApiDocument } from '@slotwire/contract'
import { coreErrors, errorDefinitions, formatVersion, SLOTWIRE_VERSION } from '@slotwire/core'
import { catalog } from '@slotwire/device/twin'
import { leaseContract } from '@slotwire/events'
import { describe, expect, it } from 'vitest'
import * as contracts from '../../modules/contracts.ts'
import { benchContract } from '../../packages/bench-api/src/index.ts'
import { inRoot } from '../../tools/setup/root.mjs'

const list: readonly Contract[] = Object.values(contracts)
const version = formatVersion(SLOTWIRE_VERSION)
const document = openApiDocument(list, { version })
const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
)

const bench = extensionDocument(benchContract(catalog), { version })
const leases = extensionDocument(leaseContract, { version })
const certificates = extensionDocument(certificateContract, { version })

/** The places of all objects that are described where they are used, below `place`. */
function inlineObjects(value: unknown, place = ''): string[] {
  if (typeof value !== 'object' || value === null) return []
  const isNamed = /^\/components\/schemas\/\w+$/.test(place)
  const own = 'type' in value && value.type === 'object' && !isNamed ? [place] : []
  return [...own, ...Object.entries(value).flatMap(([key, part]) => inlineObjects(part, `${place}/${key}`))]
}

/** All `$ref`s anywhere in a JSON value. */
function references(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, part]) => (key === '$ref' ? [String(part)] : references(part)))
}

/** The target of a reference. */
function target(reference: string): unknown {
  const [root, ...steps] = reference.split('/')
  expect(root).toBe('#')
  return steps.reduce<unknown>((place, step) => (place as Readonly<Record<string, unknown>>)[step], document)
}

const OWN = [
  'GET /slotwire',
  'GET /slotwire/livez',
  'GET /slotwire/readyz',
  'GET /slotwire/metrics',
  'GET /slotwire/events',
  'GET /slotwire/history',
  'GET /slotwire/past',
  'GET /slotwire/state',
]

/** Typed by hand from behaviour.md "Status codes". */
function statusesOf(method: string, path: string): readonly number[] {
  const anyRequest = [400, 401, 403, 405, 408, 429, 431, 500, 503]
  if (['/slotwire/events', '/slotwire/history', '/slotwire/past'].includes(path))
    return [200, 400, 401, 403, 405, 408, 422, 429, 431, 500, 503]
  if (['/slotwire', '/slotwire/livez', '/slotwire/metrics', '/slotwire/state'].includes(path)) return [200, ...anyRequest]
  // Not ready: the device is restarting, or the service is starting or stopping.
  if (path === '/slotwire/readyz') return [200, 400, 401, 403, 405, 408, 429, 431, 500, 502, 503]
  const underApi = [400, 401, 403, 404, 405, 408, 429, 431, 500, 502, 503]
  // A reset, and what goes ahead of the queue, is not overtaken.
  const waiting =
    /\/(reset|hard_reset|watchdog\/shutdown)$/.test(path) && !path.endsWith('/usbhub/reset') ? [412, 423] : [409, 412, 423]
  const withBody = [400, 401, 403, 404, 405, 408, 413, 415, 422, 429, 431, 500, 502, 503]
  if (path.endsWith('/watchdog/save')) return [200, ...underApi, ...waiting].toSorted()
  return [200, ...(method === 'POST' ? [...withBody, ...waiting].toSorted() : underApi)]
}

describe('the OpenAPI document of all services', () => {
  it('has every endpoint', () => {
    const expected = list.flatMap(({ service, endpoints }) => [
      `GET /api/${service}/1.0/`,
      ...Object.values({ ...genericEndpoints, ...endpoints }).map(
        ({ method, path }) => `${method} /api/${service}/1.0/{slot}${path}`,
      ),
    ])
    const found = operations.map(({ method, path }) => `${method} ${path}`)
    expect(found.sort()).toEqual([...expected, ...OWN].sort())
  })

  it('has every path of its own in docs/guide/api.md, and the paths of all API documents', () => {
    const rows = readFileSync(inRoot('docs', 'guide', 'api.md'), 'utf8').match(/(?<=^\| `)\/slotwire[^`]*/gm)
    const documents = ['', '/bench', '/leases', '/certificates'].map((path) => `/slotwire${path}/openapi.json`)
    const own = OWN.map((way) => way.replace('GET ', '').replace(/^\/slotwire$/, '/slotwire/'))
    expect(rows).toEqual(expect.arrayContaining([...own, ...documents]))
  })

  it('has a different operationId for each, in letters that are valid in a URL', () => {
    const ids = operations.map(({ operation }) => operation.operationId)
    expect(new Set(ids).size).toBe(ids.length)
    for (const id of ids) expect(id).toMatch(/^[a-z]+\.[a-zA-Z0-9]+$/)
    expect(ids).toEqual(
      expect.arrayContaining(['io.setAnalogThreshold', 'io.listDevices', 'io.setOutputState', 'io.resetModule']),
    )
  })

  it.each(operations)('has every status of $method $path, and no other', ({ method, path, operation }) =>
    expect(Object.keys(operation.responses).map(Number)).toEqual(statusesOf(method, path)),
  )

  it('contains every error except those of the path for proxies', () => {
    const forProxies = ['auth-request-unclear', 'device-only']
    const known = new Set(Object.values(document.components.responses).flatMap((response) => response['x-error-codes'] ?? []))
    expect(
      errorDefinitions(coreErrors)
        .filter(({ code }) => !known.has(code))
        .map(({ code }) => code),
    ).toEqual(forProxies)
  })

  it('has names for all objects, the specification’s among them', () => {
    expect([
      ...inlineObjects(document),
      ...inlineObjects(bench),
      ...inlineObjects(leases),
      ...inlineObjects(certificates),
    ]).toEqual([])
    const names = ['PinValue', 'TooMuchPower', 'Session', 'Device', 'Descriptor', 'Notification', 'PowerConfiguration']
    expect(Object.keys(document.components.schemas)).toEqual(expect.arrayContaining(names))
  })

  it.each([
    ['the modules', document],
    ['the bench', bench],
    ['leases', leases],
    ['certificates', certificates],
  ])('has a message of every error of %s, without placeholders', (_, { components }) => {
    for (const { content, 'x-error-codes': codes = [] } of Object.values(components.responses)) {
      const examples = Object.entries(content['application/json']?.examples ?? {})
      expect(examples.map(([code]) => code)).toEqual(codes)
      for (const [, { value }] of examples) expect((value as { message: string }).message).not.toMatch(/[{}]/)
    }
  })

  it.each([
    ['openapi.json', document],
    ['openapi-bench.json', bench],
    ['openapi-leases.json', leases],
    ['openapi-certificates.json', certificates],
  ])('is in docs/reference/%s: write it again with npm run test:unit -- tests/device/openapi -u', (name, content) =>
    expect(`${JSON.stringify(content, null, 2)}\n`).toMatchFileSnapshot(inRoot('docs', 'reference', name)),
  )

  it('has no dangling reference, and is plain JSON', () => {
    for (const reference of references(document)) expect(target(reference)).toBeDefined()
    expect(JSON.parse(JSON.stringify(document))).toEqual(document)
  })
})
