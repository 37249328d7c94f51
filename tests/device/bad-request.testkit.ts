import { type Contract, type Endpoint, genericEndpoints } from '@slotwire/contract'
import { defaultHttpLimits } from '@slotwire/service'
import { badBodies } from './bad-body.testkit.ts'

/** A request in parts, so that each can be made invalid separately. */
export interface Target {
  readonly method: string
  readonly service: string
  readonly version: string
  readonly slot: string
  /** Below the slot, parameters filled in: `/notification/2`. */
  readonly path: string
  readonly contentType: string | undefined
  /** Sent by a web page of this device. */
  readonly fromPage?: boolean
  readonly payload: string | Buffer | undefined
}

/** The expected answer according to the table in behaviour.md. */
export interface Refusal {
  readonly status: number
  /** The whole message (`message`), or what it must contain (`names`). */
  readonly message?: string
  readonly names?: readonly string[]
  /** With 405: every allowed method. */
  readonly allow?: readonly string[]
}

/** One way to make a request invalid, and the expected answer if everything checked before is valid. */
export interface Fault {
  readonly title: string
  /** Place in the order of checks: path and version, slot, method, content type, size, JSON, fields. */
  readonly step: 'version' | 'path' | 'slot' | 'item' | 'method' | 'content type' | 'size' | 'json' | 'fields'
  readonly spoil: (target: Target) => Target
  readonly refusal: Refusal
}

/** The contents of the slots of the tested device. */
export interface Slots {
  readonly empty: readonly number[]
  /** Slots of the modules of other services. */
  readonly foreign: readonly number[]
}

const NOT_FOUND: Refusal = { status: 404, message: 'Not Found' }
const BODY_LIMIT = defaultHttpLimits.bodyBytes
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'SEARCH']

export function endpointsOf(contract: Contract): [string, Endpoint][] {
  return Object.entries<Endpoint>({ ...genericEndpoints, ...contract.endpoints })
}

/** A valid request of an endpoint for the default twin. */
export function targetOf(contract: Contract, endpoint: Endpoint): Target {
  return {
    method: endpoint.method,
    service: contract.service,
    version: '1.0',
    slot: `${contract.defaultSlots.at(-1)}`,
    path: filled(endpoint, (name) => `${endpoint.parameters?.[name]?.example}`),
    contentType: endpoint.method === 'POST' ? 'application/json' : undefined,
    payload: endpoint.example === undefined ? undefined : JSON.stringify(endpoint.example),
  }
}

export function urlOf({ service, version, slot, path }: Target): string {
  return `/api/${service}/${version}/${slot}${path}`
}

function filled({ path }: Endpoint, value: (name: string) => string): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => value(name))
}

/** Every fault that a request to this endpoint can have. */
export function* faultsOf(contract: Contract, endpoint: Endpoint, slots: Slots): Iterable<Fault> {
  yield* versionFaults()
  yield* pathFaults(endpoint)
  yield* slotFaults(contract, slots)
  yield* itemFaults(endpoint)
  yield* methodFaults(contract, endpoint)
  if (endpoint.body !== undefined) yield* bodyFaults(endpoint)
}

function* versionFaults(): Iterable<Fault> {
  for (const version of ['0.9', '0.0', '1.1', '1.10', '1.4294967296', '2.0', '10.0', '99999999999999999999.0']) {
    const refusal: Refusal = { status: 400, names: [`API version ${version} is not supported`, '1.0'] }
    yield { title: `version ${version}`, step: 'version', spoil: (target) => ({ ...target, version }), refusal }
  }
  for (const version of ['1', 'v1.0', '1.0.0', '1.', '.0', '1.x', '1,0', '-1.0', '1.0%20', 'latest', '%00', '1%2F0']) {
    yield { title: `version ${version}`, step: 'version', spoil: (target) => ({ ...target, version }), refusal: NOT_FOUND }
  }
}

function* pathFaults(endpoint: Endpoint): Iterable<Fault> {
  const last = (path: string) => path.slice(path.lastIndexOf('/'))
  const spoilt: readonly ((path: string) => string)[] = [
    (path) => `${path}x`,
    (path) => `/x${path}`,
    (path) => `${path}/x`,
    (path) => `/%2F${path}`,
    (path) => `${path}//%2F`,
    (path) => path.toUpperCase(),
    (path) => `${path.slice(0, -last(path).length)}/${last(path).slice(1).split('').reverse().join('')}x`,
    (path) => `${path}%00`,
    (path) => `${path}%2F`,
  ]
  for (const spoil of spoilt) {
    const title = `path ${spoil(endpoint.path)}`
    yield { title, step: 'path', spoil: (target) => ({ ...target, path: spoil(target.path) }), refusal: NOT_FOUND }
  }
  for (const name of Object.keys(endpoint.parameters ?? {})) {
    for (const word of ['x', '', '1.0', '+1', '-1', '01', '1e0', '0x1', '%20', '٣', '1;2', 'NaN']) {
      const path = filled(endpoint, () => encodeURI(word).replaceAll('%25', '%'))
      const refusal = NOT_FOUND
      yield { title: `${name} is ${word}`, step: 'path', spoil: (target) => ({ ...target, path }), refusal }
    }
  }
}

function* slotFaults({ service }: Contract, { empty, foreign }: Slots): Iterable<Fault> {
  // 261 and 8193 are 5 and 1 in their lowest bits.
  for (const number of [...empty, ...foreign, 8, 99, 261, 8193, 4_294_967_296, '9'.repeat(30)]) {
    const slot = `${number}`
    const refusal: Refusal = { status: 404, names: [`slot ${slot} holds no usable ${service} module`] }
    yield { title: `slot ${slot}`, step: 'slot', spoil: (target) => ({ ...target, slot }), refusal }
  }
  for (const slot of ['x', '', '-1', '1.5', '05', '+5', '0x5', '5e0', '%20', '%D9%A5', 'null', '5%00', '5,5']) {
    yield { title: `slot ${slot}`, step: 'slot', spoil: (target) => ({ ...target, slot }), refusal: NOT_FOUND }
  }
}

function* itemFaults(endpoint: Endpoint): Iterable<Fault> {
  for (const [name, { min, max }] of Object.entries(endpoint.parameters ?? {})) {
    for (const value of [min - 1, max + 1, 4_294_967_296 + min].filter((number) => number >= 0)) {
      const path = filled(endpoint, () => `${value}`)
      const refusal: Refusal = { status: 404, names: [`${name} ${value} does not exist`, `${min}`, `${max}`] }
      yield { title: `${name} is ${value}`, step: 'item', spoil: (target) => ({ ...target, path }), refusal }
    }
  }
}

function* methodFaults(contract: Contract, { path }: Endpoint): Iterable<Fault> {
  const here = endpointsOf(contract).filter(([, other]) => other.path === path)
  const allow = here.flatMap(([, { method, effect }]) => (method === 'GET' && effect === 'read' ? ['GET', 'HEAD'] : [method]))
  for (const method of METHODS.filter((other) => !allow.includes(other))) {
    const refusal: Refusal = { status: 405, names: [method], allow }
    yield { title: `method ${method}`, step: 'method', spoil: (target) => ({ ...target, method }), refusal }
  }
}

function* bodyFaults(endpoint: Endpoint): Iterable<Fault> {
  const wrongTypes = [
    'text/plain',
    'text/json',
    'application/jsonx',
    'application/x-www-form-urlencoded',
    'multipart/form-data',
    'json',
    ';',
    '*/*',
  ]
  for (const contentType of [undefined, '', 'application/ json', 'xapplication/json', 'application/xml', ...wrongTypes]) {
    const refusal: Refusal = { status: 415, names: ['application/json'] }
    yield {
      title: `content type ${contentType}`,
      step: 'content type',
      spoil: (target) => ({ ...target, contentType, fromPage: true }),
      refusal,
    }
  }
  const tooLarge: Refusal = { status: 413, names: [`${BODY_LIMIT}`] }
  for (const size of [BODY_LIMIT + 1, BODY_LIMIT * 4]) {
    const spoil = (target: Target) => ({ ...target, payload: String(target.payload).padEnd(size) })
    yield { title: `a body of ${size} bytes`, step: 'size', spoil, refusal: tooLarge }
  }
  for (const [title, payload] of brokenTexts(JSON.stringify(endpoint.example))) {
    yield { title, step: 'json', spoil: (target) => ({ ...target, payload }), refusal: { status: 400, names: ['not JSON'] } }
  }
  for (const { title, body, names } of badBodies(endpoint)) {
    const payload = JSON.stringify(body)
    yield { title, step: 'fields', spoil: (target) => ({ ...target, payload }), refusal: { status: 422, names } }
  }
  const deep = `${'['.repeat(BODY_LIMIT / 2)}${']'.repeat(BODY_LIMIT / 2)}`
  const notAnObject: Refusal = { status: 422, names: ['the body'] }
  yield { title: 'lists in lists', step: 'fields', spoil: (target) => ({ ...target, payload: deep }), refusal: notAnObject }
}

function* brokenTexts(good: string): Iterable<[title: string, payload: string | Buffer]> {
  yield ['no body', '']
  for (const text of [
    ' ',
    '{',
    '}',
    '[',
    '"',
    'x',
    'NaN',
    'undefined',
    "{'a':1}",
    '{"a":1,}',
    '{a:1}',
    '{"a":01}',
    '{"a":+1}',
    '\u0000',
  ]) {
    yield [`the body ${JSON.stringify(text)}`, text]
  }
  yield ['half a body', good.slice(0, -1)]
  yield ['two bodies', good + good]
  yield ['a comment', `${good} // a comment`]
  yield ['a body in UTF-16', Buffer.from(good, 'utf16le')]
  for (const bytes of [[0xff], [0xc0, 0xaf], [0xed, 0xa0, 0x80], [0xf5, 0x80, 0x80, 0x80], [0xe2, 0x82]]) {
    yield [`invalid UTF-8 ${bytes.join(' ')}`, Buffer.concat([Buffer.from('{"'), Buffer.from(bytes), Buffer.from('":1}')])]
  }
}
