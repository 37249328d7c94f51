import { servicePath } from '@slotwire/contract'
import { alternatives } from '@slotwire/core'
import { listen } from '@slotwire/edge'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import * as contracts from '../../modules/contracts.ts'
import { callerWith, loopbackCaller } from '../../packages/edge/src/access/callers.ts'
import { Device } from './device.testkit.ts'
import { worlds } from './worlds.testkit.ts'

const TOKEN = { id: 'a', name: 'a', readOnly: false, services: undefined }
const client = { address: '192.0.2.7', viaProxy: false }
const SECRET = 'Zq7xW2'
let device: Device

beforeAll(async () => {
  const [world] = worlds
  if (world === undefined) throw new Error('no world')
  device = new Device({}, world)
  await device.start()
})

afterAll(() => device.close())

/** The hint of a 404, as a program of the device gets it. */
async function hintAt(path: string): Promise<unknown> {
  const { status, headers } = await device.send('GET', path)
  expect(status, path).toBe(404)
  return headers['slotwire-hint']
}

const OWN = '/api/io/1.0/3'
const ROOTS = Object.values(contracts).map(({ service }) => [service, `${servicePath(service)}/`] as const)
const ALL = alternatives(ROOTS.map(([, root]) => root).toSorted())

describe('Slotwire-Hint', () => {
  it.each([
    ['/api', `the service is missing: use ${ALL}`],
    ['/api/', `the service is missing: use ${ALL}`],
    ['/api/ioo/1.0/', 'there is no such service: did you mean /api/io/1.0/?'],
    ['/api/IO/', 'there is no such service: did you mean /api/io/1.0/?'],
    ['/api/camera/1.0/3', `there is no such service: write ${ALL}`],
    ['/api/io/1/', 'there is no such version: use /api/io/1.0/'],
    ['/api/io/v1.0/', 'there is no such version: use /api/io/1.0/'],
    ['/api/io/v1.0/3/input/values', 'there is no such version: use /api/io/1.0/'],
    ['/api/io/3/input/values', 'there is no such version: use /api/io/1.0/'],
    ['/io/1.0/3/input/values', 'the path begins with /api: use /api/io/1.0/'],
    [`${OWN}/inputs/values`, `did you mean ${OWN}/input/values?`],
    [`${OWN}/input`, `did you mean ${OWN}/input/values?`],
    [`${OWN}/values/current`, `did you mean ${OWN}/input/values/current?`],
    [`${OWN}/notification`, `the pin is missing: use ${OWN}/notification/{pin}`],
    [`${OWN}/notification/one`, `did you mean ${OWN}/notification/{pin}?`],
    [`${OWN}/notifications/1`, `did you mean ${OWN}/notification/{pin}?`],
    [`${OWN}/teapot`, 'there is no such endpoint: /slotwire/docs lists all'],
    [OWN, 'there is no such endpoint: /slotwire/docs lists all'],
    ['/api/io/1.0/0/inputs/values', 'did you mean /api/io/1.0/{slot}/input/values?'],
    ['/api/io/1.0/input/values', 'the slot is a number: use /api/io/1.0/{slot}/input/values'],
    ['/api/io/1.0/three/', 'the slot is a number: GET /api/io/ lists the slots'],
    ['/api/io/1.0/1/input/values', 'io modules are in slots 3 and 5; the module in that slot is at /api/power/1.0/1/'],
    ['/api/io/1.0/2/input/values', 'io modules are in slots 3 and 5'],
    ['/health', 'use /slotwire/readyz'],
    ['/slotwire/healthz', 'use /slotwire/readyz'],
    ['/metrics', 'did you mean /slotwire/metrics?'],
    ['/slotwire/metric', 'did you mean /slotwire/metrics?'],
    ['/docs', 'did you mean /slotwire/docs?'],
    ['/openapi.json', 'did you mean /slotwire/openapi.json?'],
    ['/constructor', 'nothing is here: GET / shows where to begin'],
    ['/api/__proto__', `there is no such service: write ${ALL}`],
    [`/${'a/'.repeat(5000)}`, 'nothing is here: GET / shows where to begin'],
  ])('answers a request for %s with: %s', async (path, hint) => expect(await hintAt(path)).toBe(hint))

  it('never has text of the client', async () => {
    const places = [
      '',
      'api/',
      'api/io/',
      'api/io/1.0/',
      'api/io/1.0/3/',
      'api/io/1.0/3/notification/',
      'slotwire/',
      'slotwire/bench/',
    ]
    for (const place of places) {
      for (const path of [
        `/${place}${SECRET}`,
        `/${place}${SECRET}/input/values`,
        `/${place}%0d%0a${SECRET}`,
        `/${place}%C3%A9${SECRET}`,
      ]) {
        expect(await hintAt(path)).not.toContain(SECRET)
      }
    }
  })

  it.each([
    ['a token for all services', callerWith(TOKEN, client), '/api/io/1.0/1/reset', /at \/api\/power\/1\.0\/1\/$/],
    [
      'a token for io',
      callerWith({ ...TOKEN, services: ['io'] }, client),
      '/api/io/1.0/1/reset',
      /^io modules are in slots 3 and 5$/,
    ],
    ['a token for io', callerWith({ ...TOKEN, services: ['io'] }, client), '/metrics', /^nothing is here/],
    ['a token for io', callerWith({ ...TOKEN, services: ['io'] }, client), '/power/1.0/', /^nothing is here/],
    ['a token for io', callerWith({ ...TOKEN, services: ['io'] }, client), '/io', /use \/api\/io\/1\.0\/$/],
    [
      'a client of a proxy',
      loopbackCaller({ headers: { 'x-forwarded-for': '192.0.2.7' } }, ''),
      '/api/io/1.0/1/reset',
      /^io modules are in slots 3 and 5$/,
    ],
    [
      'a client of a proxy',
      loopbackCaller({ headers: { 'x-forwarded-for': '192.0.2.7' } }, ''),
      '/power/1.0/',
      /use \/api\/power\/1\.0\/$/,
    ],
    ['a client of a proxy', loopbackCaller({ headers: { 'x-forwarded-for': '192.0.2.7' } }, ''), '/metrics', /^nothing is here/],
  ])('names for %s only what it may see: %s%s', async (_, caller, path, hint) => {
    const door = await listen(device.service, { host: '127.0.0.1', port: 0 }, { checkAccess: () => ({ caller }) })
    const answer = await fetch(`http://127.0.0.1:${door.address.port}${path}`)
    expect([answer.status, answer.headers.get('slotwire-hint')]).toEqual([404, expect.stringMatching(hint)])
    await answer.text()
    await door.close()
  })
})

describe('GET / of a program', () => {
  const index = {
    name: 'slotwire',
    version: expect.any(String) as string,
    docs: '/slotwire/docs',
    openapi: '/slotwire/openapi.json',
    health: '/slotwire/readyz',
  }

  it('lists the services, and where docs and health are', async () => {
    const { status, body, text } = await device.get('/')
    expect([status, body]).toEqual([200, { ...index, services: Object.fromEntries(ROOTS) }])
    expect(text.endsWith('}\n')).toBe(true)
  })

  it('lists for a token its services only', async () => {
    const caller = callerWith({ ...TOKEN, services: ['io'] }, client)
    const door = await listen(device.service, { host: '127.0.0.1', port: 0 }, { checkAccess: () => ({ caller }) })
    const answer = await fetch(`http://127.0.0.1:${door.address.port}/`)
    expect(await answer.json()).toEqual({ ...index, services: { io: '/api/io/1.0/' } })
    await door.close()
  })
})
