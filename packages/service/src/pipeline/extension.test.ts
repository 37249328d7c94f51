import { ManualClock } from '@slotwire/core'
import { listen } from '@slotwire/edge'
import { beforeEach, describe, expect, it } from 'vitest'
import { Lamps } from '../lamp.testkit.ts'
import { createToy, type Toy } from '../toy.testkit.ts'
import type { WriteRecord } from './write-records.ts'

const json = { 'content-type': 'application/json' }
const root = '/slotwire/lamps'
let lamps: Lamps
let toy: Toy
let writes: WriteRecord[]

beforeEach(async () => {
  lamps = new Lamps()
  writes = []
  toy = await createToy({ extensions: [lamps.extension], onWrite: (record) => writes.push(record) })
})

interface More {
  readonly headers?: Record<string, string>
  readonly payload?: string
}

async function ask(method: string, url: string, more: More = {}) {
  const response = await toy.service.inject({ method: method as 'GET', url, ...more })
  const body = response.body === '' ? undefined : response.json<Record<string, unknown>>()
  return { status: response.statusCode, headers: response.headers, body, message: body?.['message'] }
}

const post = (url: string, payload: string) => ask('POST', url, { headers: json, payload })

describe('an extension', () => {
  it('reads and writes', async () => {
    expect(await post(`${root}/2`, '{"percent":40}')).toMatchObject({ status: 200, body: { status: 'success' } })
    const { status, body, headers } = await ask('GET', `${root}/2/`)
    expect({ status, body }).toEqual({ status: 200, body: { lamp: 2, percent: 40 } })
    expect([headers['content-type'], headers['cache-control']]).toEqual(['application/json', 'no-store'])
    expect((await ask('HEAD', `${root}/2`)).status).toBe(200)
  })

  it.each([
    ['GET', `${root}/two`, 'Not Found'],
    ['GET', `${root}/02`, 'Not Found'],
    ['GET', `${root}/2/more`, 'Not Found'],
    ['GET', `/slotwire/Lamps/2`, 'Not Found'],
    ['GET', `/slotwire%2Flamps/2`, 'Not Found'],
    ['GET', `${root}/4`, 'lamp 4 does not exist: 1…3'],
    ['PUT', `${root}/0`, 'lamp 0 does not exist: 1…3'],
  ])('returns 404 for %s %s: %s', async (method, url, message) => {
    expect(await ask(method, url)).toMatchObject({ status: 404, message })
  })

  it.each([
    [`${root}/2`, 'DELETE', 'GET, HEAD, POST'],
    [`${root}/all/blink`, 'GET', 'POST'],
    [`${root}/all/replace/`, 'PUT', 'POST'],
  ])('returns 405 at %s for %s and allows %s', async (url, method, allow) => {
    const { status, headers } = await ask(method, url)
    expect([status, headers['allow']]).toEqual([405, allow])
  })

  it('has no paths unless the service includes it', async () => {
    toy = await createToy()
    expect(await ask('GET', `${root}/2`)).toMatchObject({ status: 404, message: 'Not Found' })
    expect(await post(`${root}/all/blink`, '{}')).toMatchObject({ status: 404, message: 'Not Found' })
  })

  it('uses its own table of errors', async () => {
    expect(await post(`${root}/3`, '{"percent":40}')).toMatchObject({ status: 400, message: 'lamp 3 is broken: replace it' })
  })

  it('works while the device restarts, and before the modules are known', async () => {
    toy.device.state = 'restarting'
    toy.device.ready = false
    expect((await ask('GET', `${root}/2`)).status).toBe(200)
    expect(await post(`${root}/3`, '{"percent":40}')).toMatchObject({ status: 400 })
    lamps.gate = Promise.reject(new Error('a bug'))
    expect(await ask('POST', `${root}/all/replace`)).toMatchObject({
      status: 500,
      message: 'internal error: the log has the details',
    })
  })

  it('reports its writes, refused ones too, but no reads', async () => {
    await ask('GET', `${root}/2`)
    await post(`${root}/2`, '{"percent":40}')
    await post(`${root}/2`, '{"percent":101}')
    expect(writes).toMatchObject([
      { method: 'POST', path: `${root}/2`, status: 200, body: { percent: 40 } },
      { method: 'POST', path: `${root}/2`, status: 422 },
    ])
    expect(writes[1]).not.toHaveProperty('body')
  })

  it('is counted as one endpoint, by method and status', async () => {
    await ask('GET', `${root}/2`)
    await ask('GET', `${root}/1`)
    await post(`${root}/all/blink`, '{"pattern":"odd"}')
    const page = (await toy.service.inject('/slotwire/metrics')).body
    expect(page).toContain('slotwire_http_requests_total{service="slotwire",endpoint="lamps",method="GET",status="200"} 2')
    expect(page).toContain('slotwire_http_requests_total{service="slotwire",endpoint="lamps",method="POST",status="422"} 1')
  })

  it('has an API document of its own', async () => {
    const document = (await toy.service.inject('/slotwire/lamps/openapi.json')).json<{
      tags: object[]
      paths: Record<string, never>
    }>()
    expect(document.tags).toEqual([{ name: 'lamps', description: 'Lamps around the device.' }])
    expect(Object.keys(document.paths)).toEqual(
      expect.arrayContaining([`${root}/{lamp}`, `${root}/all/blink`, `${root}/all/replace`]),
    )
    const main = (await toy.service.inject('/slotwire/openapi.json')).json<{ paths: object }>()
    expect(Object.keys(main.paths)).not.toContain(`${root}/{lamp}`)
  })
})

describe('the body of a request to an extension', () => {
  it.each([
    [`${root}/2`, '{"percent":101}', 422, 'percent is out of range: 0…100 %, not 101'],
    [`${root}/2`, '{"percents":1}', 422, 'percents is unknown: did you mean percent?'],
    [`${root}/2`, '{}', 422, 'percent is missing: an integer from 0 to 100 %'],
    [`${root}/2`, '{"a":1,}', 400, 'the body is not JSON (at character 8): send one JSON object, in UTF-8'],
    [`${root}/2`, '{"a":\u0000}', 400, 'the body is not JSON (unexpected \\u{0}): send one JSON object, in UTF-8'],
    [`${root}/2`, '[', 400, 'the body is not JSON (it ends too early): send one JSON object, in UTF-8'],
    [`${root}/2`, '', 400, 'the body is not JSON (it is empty): send one JSON object, in UTF-8'],
    [`${root}/all/replace`, '{"all":true}', 422, 'all is unknown: there are no fields here'],
    [`${root}/all/replace`, '[]', 422, 'the body must be a JSON object'],
    [`${root}/all/blink`, '{"pattern":"Fast"}', 422, 'pattern is not allowed: slow or fast, not "Fast"; did you mean fast?'],
  ])('is refused at %s: %s, with %i, %s', async (url, payload, status, message) => {
    expect(await post(url, payload)).toMatchObject({ status, message })
    expect(lamps.received).toEqual([])
  })

  it('must be JSON', async () => {
    const form = { 'content-type': 'application/x-www-form-urlencoded', origin: 'http://localhost' }
    expect((await ask('POST', `${root}/all/replace`, { headers: form, payload: 'a=b' })).status).toBe(415)
    expect((await ask('POST', `${root}/2`, { headers: form, payload: '' })).status).toBe(415)
    expect((await ask('POST', `${root}/2`, { payload: '' })).status).toBe(400)
    expect(
      (await ask('POST', `${root}/all/blink`, { headers: { ...json, 'content-encoding': 'gzip' }, payload: 'x' })).status,
    ).toBe(415)
    expect((await post(`${root}/all/blink`, JSON.stringify({ pattern: 'x'.repeat(70_000) }))).status).toBe(413)
  })

  it('may be missing with any content type if no field is required', async () => {
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    expect((await ask('POST', `${root}/all/replace`)).status).toBe(200)
    expect((await ask('POST', `${root}/all/replace`, { headers: form, payload: '' })).status).toBe(200)
    expect((await post(`${root}/all/blink`, '')).status).toBe(200)
    expect((await post(`${root}/all/blink`, '{}')).status).toBe(200)
    expect(lamps.received).toEqual([{}, {}, {}, {}])
  })
})

describe('closing with an extension', () => {
  it('closes the extension first, waits for its requests, and refuses them in time', async () => {
    const realTime = new ManualClock()
    toy = await createToy({ extensions: [lamps.extension], realTime })
    lamps.gate = new Promise(() => undefined)
    const { address } = await listen(toy.service, { host: '127.0.0.1', port: 0 })
    const answer = fetch(`http://127.0.0.1:${address.port}${root}/all/replace`, { method: 'POST' })
    await expect.poll(() => lamps.received.length).toBe(1)
    const closing = toy.service.close()
    expect(lamps.closed).toBe(1)
    await realTime.advance(1500)
    await closing
    expect((await answer).status).toBe(503)
    expect(toy.clock.pending).toBe(0)
  })
})
