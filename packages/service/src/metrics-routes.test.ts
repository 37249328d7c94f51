import { formatVersion, ManualClock, SLOTWIRE_VERSION, silentLog } from '@slotwire/core'
import { listen } from '@slotwire/edge'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { dial, readToEnd, readUntil, talk } from '../../edge/src/door/socket.testkit.ts'
import { parseExposition } from './metrics/exposition.testkit.ts'
import type { MetricFamily } from './metrics/metric.ts'
import { createToy, heldReading, type Toy } from './toy.testkit.ts'

const PATH = '/slotwire/metrics'
const AT = { host: '127.0.0.1', port: 0 }
const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`
const realTime = new ManualClock()
const errors: unknown[] = []
let toy: Toy
let extra: () => readonly MetricFamily[]

beforeEach(async () => {
  errors.length = 0
  extra = () => []
  toy = await createToy({
    realTime,
    metrics: [() => extra()],
    log: { ...silentLog, error: (fields) => errors.push(fields) },
  })
})

afterEach(() => toy.service.close())

/** All samples by name and labels: `name{label=value}`. */
async function scrape(): Promise<Record<string, number>> {
  const { body } = await toy.service.inject(PATH)
  const samples = parseExposition(body).flatMap((family) => family.samples)
  return Object.fromEntries(
    samples.map(({ name, labels, value }) => {
      const pairs = Object.entries(labels).map((pair) => pair.join('='))
      return [`${name}{${pairs.join(',')}}`, value]
    }),
  )
}

/** Number of requests by service, endpoint, method and status, without zeros. */
async function requests(): Promise<Record<string, number>> {
  const counts = Object.entries(await scrape()).flatMap(([name, value]) => {
    const [, labels] = /^slotwire_http_requests_total\{(.*)\}$/.exec(name) ?? []
    return labels === undefined || value === 0 ? [] : [[labels.replaceAll(/\w+=/g, '').replaceAll(',', ' '), value] as const]
  })
  return Object.fromEntries(counts)
}

const send = (method: 'GET' | 'POST' | 'HEAD' | 'PUT', url: string, payload?: string) =>
  toy.service.inject({
    method,
    url,
    ...(payload === undefined ? {} : { payload, headers: { 'content-type': 'application/json' } }),
  })

describe('GET /slotwire/metrics', () => {
  it('shows a token nothing of services that it does not grant, and nothing of their modules', async () => {
    extra = () => [{ name: 'slotwire_level', help: 'Of a module.', type: 'gauge', samples: [{ labels: { slot: 3 }, value: 1 }] }]
    const caller = { door: 'network', address: '192.0.2.7', readOnly: true } as const
    const sees = (path: string): boolean => !path.startsWith('/api/toy/')
    const [all, limited] = await Promise.all(
      [caller, { ...caller, sees }].map(async (one) => {
        const { address } = await listen(toy.service, AT, { checkAccess: () => ({ caller: one }) })
        return talk(address.port, get(PATH))
      }),
    )
    expect(all).toMatch(/service="toy"/)
    expect(all).toMatch(/slot="3"/)
    expect(limited).not.toMatch(/service="toy"|slot="3"/)
    expect(limited).toContain('service="slotwire"')
  })

  it('returns the text format 0.0.4 and forbids caching', async () => {
    const { statusCode, headers, body } = await toy.service.inject(PATH)
    expect(statusCode).toBe(200)
    expect(headers).toMatchObject({
      'content-type': 'text/plain; version=0.0.4; charset=utf-8',
      'cache-control': 'no-store',
      'content-length': String(Buffer.byteLength(body)),
    })
  })

  it('answers HEAD without a body', async () => {
    const { address } = await listen(toy.service, AT)
    const answer = await talk(address.port, get(PATH).replace('GET', 'HEAD'))
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
    expect(answer).toMatch(/\r\ncontent-length: [1-9]\d+\r\n/)
    expect(answer.endsWith('\r\n\r\n')).toBe(true)
  })

  it.each(['POST', 'PUT'] as const)('refuses %s with 405', async (method) => {
    const { statusCode, headers } = await send(method, PATH)
    expect([statusCode, headers['allow']]).toEqual([405, 'GET, HEAD'])
  })

  it('works while the service starts and while the device restarts', async () => {
    expect(await scrape()).toMatchObject({ 'slotwire_ready{}': 1 })
    toy.device.ready = false
    expect(await scrape()).toMatchObject({ 'slotwire_ready{}': 0 })
    Object.assign(toy.device, { ready: true, state: 'restarting' })
    expect(await scrape()).toMatchObject({ 'slotwire_ready{}': 0 })
  })

  it('reports version, uptime, memory and processor time', async () => {
    const text = (await toy.service.inject(PATH)).body
    const node = process.versions.node
    expect(text).toContain(
      `slotwire_build_info{version="${formatVersion(SLOTWIRE_VERSION)}",node_version="${node}",api_version="1.0.0"} 1\n`,
    )
    const figures = await scrape()
    expect(figures['slotwire_uptime_seconds{}']).toBeGreaterThan(0)
    expect(figures['process_resident_memory_bytes{}']).toBeGreaterThan(10_000_000)
    expect(figures['process_cpu_seconds_total{}']).toBeGreaterThan(0)
  })

  it('measures the event loop from the first scrape until the service closes', async () => {
    await send('GET', '/slotwire/livez')
    expect(realTime.pending).toBe(0)
    await scrape()
    await realTime.advance(500)
    expect(await scrape()).toMatchObject({ 'slotwire_event_loop_delay_seconds_count{}': 5 })
    await toy.service.close()
    expect(realTime.pending).toBe(0)
  })

  it('reports every endpoint from the start, and each series once', async () => {
    await send('GET', '/slotwire/docs')
    await send('GET', '/api/toy/1.0/3/level')
    const samples = parseExposition((await toy.service.inject(PATH)).body).flatMap((family) => family.samples)
    const series = samples.map(({ name, labels }) => `${name} ${JSON.stringify(labels)}`)
    expect(series.filter((one, index) => series.indexOf(one) !== index)).toEqual([])
    const countOf = (endpoint: string, status: string) =>
      samples.find(({ labels }) => labels['endpoint'] === endpoint && labels['status'] === status)?.value
    expect([countOf('getLevel', '200'), countOf('setLevel', '200'), countOf('docs', '200')]).toEqual([1, 0, 1])
  })

  it('includes other sources, and omits one that throws', async () => {
    extra = () => [{ name: 'slotwire_extra', help: 'Extra.', type: 'gauge', samples: [{ value: 3 }] }]
    expect(await scrape()).toMatchObject({ 'slotwire_extra{}': 3 })
    const bug = new Error('a bug')
    extra = () => {
      throw bug
    }
    expect(Object.keys(await scrape()).length).toBeGreaterThan(20)
    expect(errors).toEqual([{ err: bug }])
  })
})

describe('metrics of requests', () => {
  it('count by endpoint, method and status', async () => {
    await send('GET', '/api/toy/1.0/3/level')
    await send('GET', '/api/toy/1.0/3/level/')
    await send('HEAD', '/api/toy/1.0/3/level')
    await send('GET', '/api/toy/1.0/4/level')
    await send('GET', '/api/toy/1.0/3/part/7')
    await send('GET', '/api/toy/1.0/3/part/201')
    await send('POST', '/api/toy/1.0/3/level', '{"level":3}')
    await send('POST', '/api/toy/1.0/3/level', '{"level":30}')
    await send('GET', '/api/toy/1.0/3/note/1')
    await send('GET', '/api/toy/')
    await send('GET', '/api/toy/1.7/')
    await send('GET', '/slotwire/readyz')
    await send('GET', '/slotwire/openapi.json')
    await send('GET', '/slotwire/docs')
    expect(await requests()).toEqual({
      'toy getLevel GET 200': 2,
      'toy getLevel HEAD 200': 1,
      'toy getLevel GET 404': 1,
      'toy getPart GET 200': 1,
      'toy getPart GET 404': 1,
      'toy setLevel POST 200': 1,
      'toy setLevel POST 422': 1,
      'toy getNote GET 200': 1,
      'toy versionRoot GET 200': 2,
      'slotwire readyz GET 200': 1,
      'slotwire docs GET 200': 2,
    })
    expect(await requests()).toMatchObject({ 'slotwire metrics GET 200': 1 })
  })

  it('count failures with the status that the client got', async () => {
    toy.slot.script = { GET_LEVEL: new TypeError('a bug') }
    await send('GET', '/api/toy/1.0/3/level')
    Object.assign(toy.device, { state: 'restarting' })
    await send('GET', '/api/toy/1.0/3/level')
    await send('GET', '/api/toy/1.0/3/note/1')
    await send('GET', '/slotwire/readyz')
    expect(await requests()).toEqual({
      'toy getLevel GET 500': 1,
      'toy getLevel GET 502': 1,
      'toy getNote GET 502': 1,
      'slotwire readyz GET 502': 1,
    })
  })

  it('count requests without an endpoint together', async () => {
    const before = Object.keys(await scrape()).length
    for (let number = 0; number < 50; number++) await send('GET', `/nowhere/${number}`)
    await send('PUT', '/api/toy/1.0/3/level')
    await send('GET', '/api/toy/9.0/3/level')
    const { 'slotwire metrics GET 200': _, ...counted } = await requests()
    expect(counted).toEqual({ 'none none any 404': 50, 'none none any 405': 1, 'none none any 400': 1 })
    // The histogram of the scrapes has been added since, and the 405.
    expect(Object.keys(await scrape()).length).toBeLessThan(before + 25)
  })

  it('count requests that a door refuses without an endpoint too', async () => {
    const { address } = await listen(toy.service, AT)
    await talk(address.port, 'nonsense\r\n\r\n')
    await talk(address.port, get('/slotwire/livez').replace('localhost', 'elsewhere.example'))
    const closed = await listen(toy.service, AT, {
      checkAccess: () => ({ answer: { status: 401, headers: {}, body: '' } }),
    })
    await talk(closed.address.port, get('/slotwire/livez'))
    expect(await requests()).toEqual({ 'none none any 400': 1, 'none none any 403': 1, 'none none any 401': 1 })
  })

  it('measure the duration until the end of the work', async () => {
    const { reading, finish } = heldReading(toy.slot)
    const answer = send('GET', '/api/toy/1.0/3/level')
    await reading
    expect(await scrape()).toMatchObject({ 'slotwire_http_requests_in_flight{}': 1 })
    await realTime.advance(40)
    finish({ level: 1 })
    await answer
    const labels = 'service=toy,endpoint=getLevel,method=GET'
    const name = 'slotwire_http_request_duration_seconds'
    expect(await scrape()).toMatchObject({
      [`${name}_bucket{${labels},le=0.025}`]: 0,
      [`${name}_bucket{${labels},le=0.05}`]: 1,
      [`${name}_bucket{${labels},le=+Inf}`]: 1,
      [`${name}_sum{${labels}}`]: 0.04,
      [`${name}_count{${labels}}`]: 1,
      'slotwire_http_requests_in_flight{}': 0,
    })
  })
})

describe('metrics of connections', () => {
  it('count open connections by the kind of their door', async () => {
    const connections = async () => {
      const figures = await scrape()
      return ['loopback', 'network'].map((door) => figures[`slotwire_http_connections{door=${door}}`])
    }
    const loopback = (await listen(toy.service, AT)).address.port
    extra = () => [{ name: 'slotwire_level', help: 'Of a module.', type: 'gauge', samples: [{ labels: { slot: 3 }, value: 1 }] }]
    const caller = { door: 'network', address: '192.0.2.7', readOnly: false } as const
    const network = (await listen(toy.service, AT, { kind: 'network', checkAccess: () => ({ caller }) })).address.port
    expect(await connections()).toEqual([0, 0])
    const sockets = [await dial(loopback), await dial(network), await dial(network)]
    const request = 'GET /slotwire/livez HTTP/1.1\r\nHost: localhost\r\n\r\n'
    for (const socket of sockets) {
      socket.write(request)
      await readUntil(socket, 'success')
    }
    expect(await connections()).toEqual([1, 2])
    const over = sockets.map(readToEnd)
    for (const socket of sockets) socket.end()
    await Promise.all(over)
    await expect.poll(connections).toEqual([0, 0])
  })
})
