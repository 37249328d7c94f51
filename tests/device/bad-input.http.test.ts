import { type Contract, type Endpoint, genericEndpoints } from '@slotwire/contract'
import { defaultHttpLimits } from '@slotwire/service'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import * as allContracts from '../../modules/contracts.ts'
import { bodiesOnBounds } from './bad-body.testkit.ts'
import {
  endpointsOf,
  type Fault,
  faultsOf,
  type Refusal,
  type Slots,
  type Target,
  targetOf,
  urlOf,
} from './bad-request.testkit.ts'
import { type Answer, Device } from './device.testkit.ts'
import { fieldRules } from './field-rules.testkit.ts'
import { worlds } from './worlds.testkit.ts'

const contracts: readonly Contract[] = Object.values(allContracts)
/** Long enough for a restart of the device. */
const RESTART_MS = 5000
const FRESH = { 'cache-control': 'no-cache' }
const FIRST_OF_STEP: readonly Fault['step'][] = ['version', 'slot', 'item', 'method', 'content type', 'size', 'json', 'fields']

let requests = 0

afterAll(() => process.stdout.write(`sent ${requests.toLocaleString('en')} requests\n`))

async function send(device: Device, target: Target): Promise<Answer> {
  requests++
  const { method, contentType, payload, fromPage } = target
  const headers = {
    ...(contentType === undefined ? {} : { 'content-type': contentType }),
    ...(fromPage ? { origin: 'http://localhost' } : {}),
  }
  return device.send(method as 'GET', urlOf(target), payload, headers)
}

/** All readable state of the device: every module, every reading endpoint, and the pending notifications of each slot. */
async function snapshot(device: Device): Promise<string> {
  const parts = contracts.flatMap((contract) => {
    const looks = endpointsOf(contract).filter(([, endpoint]) => endpoint.effect === 'read')
    const urls = looks.map(([, endpoint]) => urlOf(targetOf(contract, endpoint)))
    return [`/api/${contract.service}/`, ...urls].map(async (url) => {
      const { status, text } = await device.get(url, FRESH)
      return `${url} ${status} ${text}`
    })
  })
  return [...(await Promise.all(parts)), ...device.pending()].join('\n')
}

/** Leaves an event pending at pin 4 of slot 5, which has a wave. Only a valid request may remove it. */
async function leavePending(device: Device): Promise<void> {
  const io = device.module('io', 5)
  await io.set('input/analog/threshold', { pin: 4, threshold_millivolt: 2500, trigger: 'rising' })
  await device.advance(100)
  await io.set('input/analog/threshold', { pin: 4, threshold_millivolt: 2500, trigger: 'disabled' })
  await device.advance(100)
  expect(device.pending()).toEqual(['slot 5, item 4: 8 0 0 0'])
}

/** Differences between an answer and the expected refusal. */
function complaints(title: string, { status, headers, body, text }: Answer, refusal: Refusal): string[] {
  const message = String(body?.['message'])
  const found: string[] = []
  const check = (holds: boolean, what: string) => {
    if (!holds) found.push(`${title}: ${what}, but ${status} ${text.slice(0, 200)} ${JSON.stringify(headers)}`)
  }
  check(status === refusal.status, `status ${refusal.status}`)
  check(JSON.stringify(Object.keys(body ?? {})) === '["status","code","message"]', 'status, code and message alone')
  check(body?.['status'] === 'error' && body['code'] === status, 'status error and the code of HTTP')
  check(typeof body?.['message'] === 'string' && message.length > 0 && message.length < 400, 'a message of a readable length')
  if (refusal.message !== undefined) check(message === refusal.message, `message ${refusal.message}`)
  for (const name of refusal.names ?? []) check(message.includes(name), `a message that names ${name}`)
  check(headers['content-type'] === 'application/json', 'content type application/json')
  check(headers['cache-control'] === 'no-store', 'cache-control no-store')
  check(headers['retry-after'] === undefined, 'no retry-after')
  const allow = headers['allow'] === undefined ? undefined : String(headers['allow']).split(', ').sort().join()
  check(allow === refusal.allow?.toSorted().join(), `allow ${refusal.allow?.join()}`)
  return found
}

describe.each(worlds.map((world) => [world.name, world] as const))('bad input (%s)', (_name, world) => {
  let device: Device
  let slots: (contract: Contract) => Slots

  beforeAll(async () => {
    device = new Device({}, world)
    await device.start()
    await leavePending(device)
    const present = device.chassis.present()
    const empty = Array.from({ length: 8 }, (_, slot) => slot).filter((slot) => !present.includes(slot))
    slots = ({ service }) => ({
      empty,
      foreign: contracts.filter((other) => other.service !== service).flatMap(({ defaultSlots }) => defaultSlots),
    })
  })
  afterAll(() => device.close())

  describe.each(contracts.map((contract) => [contract.service, contract] as const))('%s', (_service, contract) => {
    describe.each(endpointsOf(contract))('%s', (_endpointName, endpoint) => {
      /** Sends all of them. Nothing may change, and no module may receive anything. */
      async function walk(cases: Iterable<{ title: string; target: Target; refusal: Refusal }>): Promise<void> {
        const before = await snapshot(device)
        const found: string[] = []
        for (const { title, target, refusal } of cases) {
          const sentBefore = device.bus.count
          found.push(...complaints(`${target.method} ${urlOf(target)}: ${title}`, await send(device, target), refusal))
          if (device.bus.count !== sentBefore) found.push(`${title}: something was sent to a module`)
        }
        expect(found).toEqual([])
        expect(await snapshot(device)).toBe(before)
      }
      const target = targetOf(contract, endpoint)

      it('refuses every fault as the table says, and changes nothing', () =>
        walk(
          [...faultsOf(contract, endpoint, slots(contract))].map(({ title, spoil, refusal }) => ({
            title,
            target: spoil(target),
            refusal,
          })),
        ))

      it('names the fault that is checked first if a request has two', async () => {
        const faults = [...faultsOf(contract, endpoint, slots(contract))]
        const one = FIRST_OF_STEP.flatMap((step) => faults.find((fault) => fault.step === step) ?? [])
        await walk(
          one.flatMap((first, index) =>
            one.slice(index + 1).map((second) => ({
              title: `${first.title} and ${second.title}`,
              target: first.spoil(second.spoil(target)),
              refusal: first.refusal,
            })),
          ),
        )
      })
    })
  })
})

/** Whether a message refuses the request because of the module's state. */
function isRefusedByState(endpoint: Endpoint, message: unknown): boolean {
  return endpoint.errors.some(({ definition }) => {
    const pattern = definition.message.replaceAll(/[.*+?^$()|[\]\\]/g, '\\$&').replaceAll(/\{\w+\}/g, '.+')
    return new RegExp(`^${pattern}$`).test(String(message))
  })
}

describe.each(worlds.map((world) => [world.name, world] as const))('values on a bound (%s)', (_name, world) => {
  let device: Device | undefined

  afterEach(async () => {
    await device?.close()
    device = undefined
  })

  const withBody = contracts.flatMap((contract) =>
    endpointsOf(contract).flatMap(([name, endpoint]) =>
      endpoint.body === undefined ? [] : [[`${contract.service} ${name}`, contract, endpoint] as const],
    ),
  )

  it.each(withBody)('accepts %s, unless the module’s state refuses it', async (_title, contract, endpoint) => {
    device = new Device({}, world)
    await device.start()
    const target = targetOf(contract, endpoint)
    const found: string[] = []
    for (const body of bodiesOnBounds(endpoint)) {
      const before = await snapshot(device)
      const broken = fieldRules[`${contract.service} ${endpoint.path}`]?.(body)
      const answer = await send(device, { ...target, payload: JSON.stringify(body) })
      const { status, text } = answer
      const title = `${endpoint.path} ${JSON.stringify(body)}`
      if (broken !== undefined) found.push(...complaints(title, answer, { status: 422, names: [broken] }))
      else if (status === 400 && isRefusedByState(endpoint, answer.body?.['message'])) {
        found.push(...complaints(title, answer, { status: 400 }))
      } else if (status !== 200) found.push(`${title}: ${status} ${text}`)
      if (status !== 200 && (await snapshot(device)) !== before) found.push(`${title}: refused, but something changed`)
      if (endpoint.path === '/hard_reset') await device.advance(RESTART_MS)
    }
    expect(found).toEqual([])
  })

  it('accepts a body of exactly the largest size, and every spelling of the content type', async () => {
    device = new Device({}, world)
    await device.start()
    for (const contract of contracts) {
      const target = targetOf(contract, genericEndpoints.reset)
      const padded = String(target.payload).padEnd(defaultHttpLimits.bodyBytes)
      expect((await send(device, { ...target, payload: padded })).status).toBe(200)
      for (const contentType of [
        'Application/JSON',
        'application/json; charset=utf-8',
        'application/json;charset="UTF-8"',
        'application/json ;',
      ]) {
        expect((await send(device, { ...target, contentType })).status).toBe(200)
      }
    }
  })
})

it('has a rule between fields for every endpoint that checks one', () => {
  const checked = contracts.flatMap((contract) =>
    endpointsOf(contract).flatMap(([, endpoint]) =>
      'check' in endpoint || /"(allOf|anyOf|oneOf)":/.test(JSON.stringify(endpoint.body ?? ''))
        ? [`${contract.service} ${endpoint.path}`]
        : [],
    ),
  )
  expect(Object.keys(fieldRules).toSorted()).toEqual(checked.toSorted())
})

describe.each(worlds.map((world) => [world.name, world] as const))('the version root (%s)', (_name, world) => {
  it.each(contracts)('refuses wrong versions and methods for $service', async ({ service }) => {
    const device = new Device({}, world)
    await device.start()
    const found: string[] = []
    const ask = async (method: string, url: string, refusal: Refusal) => {
      requests++
      found.push(...complaints(`${method} ${url}`, await device.send(method as 'GET', url), refusal))
    }
    for (const version of ['2.0', '0.0', '10.1']) {
      await ask('GET', `/api/${service}/${version}/`, { status: 400, names: [version] })
      await ask('DELETE', `/api/${service}/${version}`, { status: 400, names: [version] })
    }
    for (const version of ['1', 'x', 'v1.0', '1.0.0', '-1.0']) {
      await ask('GET', `/api/${service}/${version}/`, { status: 404, message: 'Not Found' })
      await ask('PUT', `/api/${service}/${version}`, { status: 404, message: 'Not Found' })
    }
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE']) {
      for (const path of ['', '/', '/1.0', '/1.0/', '/1.9/']) {
        await ask(method, `/api/${service}${path}`, { status: 405, names: [method], allow: ['GET', 'HEAD'] })
      }
    }
    for (const path of [
      `/api/${service.toUpperCase()}/`,
      `/api/${service}x/`,
      `/Api/${service}/`,
      `/api/%2F${service}/`,
      '/api',
      '/api/',
    ]) {
      await ask('GET', path, { status: 404, message: 'Not Found' })
    }
    expect(found).toEqual([])
    await device.close()
  })
})
