import { processEndpoints } from '@slotwire/contract'
import { ManualClock } from '@slotwire/core'
import { listen } from '@slotwire/edge'
import { afterEach, describe, expect, it } from 'vitest'
import { dial, readToEnd, talk } from '../../../edge/src/door/socket.testkit.ts'
import { createToy, type Toy } from '../toy.testkit.ts'
import { pathSegments } from './api-path.ts'
import { RequestStatistics } from './request-statistics.ts'

const AT = { host: '127.0.0.1', port: 0 }
const LEVEL = '/api/toy/1.0/3/level'
const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`
const { livez } = processEndpoints

const toys: Toy[] = []
afterEach(async () => {
  for (const toy of toys.splice(0)) await toy.service.close()
})

/** A service with a module at this level. */
async function toyAt(level: number): Promise<Toy> {
  const toy = await createToy()
  toy.slot.script = { GET_LEVEL: { level }, SET_LEVEL: {} }
  toys.push(toy)
  return toy
}

async function levelOf({ service }: Toy): Promise<unknown> {
  return (await service.inject(LEVEL)).json()
}

describe('Routes', () => {
  it.each([
    ['/api/toy/1.0/3/level', 200],
    ['/api/toy/1.0/3/level/', 200],
    ['/api/toy/1.0/3/level?a=/b', 200],
    ['http://localhost/api/toy/1.0/3/level', 200],
    ['/api/t%6Fy/1.0/3/level', 200],
    ['/api/toy/1.0/3/level/cached', 200],
    ['/api/toy/1.0/3/level%2Fcached', 404],
    ['/api/toy%2F1.0%2F%7B%7D%2Flevel/3', 404],
    ['/api/toy%2F1.0%2F%7B%7D%2Flevel/0x3', 404],
    ['/api/toy%2F1.0%2F%7B%7D%2Fnote%2F%7B%7D/3', 404],
    ['/api/toy%2F1.0/3', 404],
    ['/api/toy//1.0/3//level', 200],
    ['/api/toy/1.0/03/level', 404],
    ['/api/toy/1.0/%7B%7D/level', 404],
    ['/api/toy/1.0/3/part/7', 200],
    ['/api/toy/1.0/3/part/x', 404],
    ['/api/toy', 200],
    ['/api/toy/1.7/', 200],
    ['/api/toy/1.7/3/level', 400],
    ['/api/toy/1/', 404],
    ['/api/%74oy/%', 400],
    ['/%2F', 404],
    ['/%7B', 404],
    ['/%7B%7D', 404],
  ])('answers %s with %i', async (path, status) => {
    const toy = await toyAt(1)
    const { address } = await listen(toy.service, AT)
    const answer = await talk(address.port, get(path).replace('Connection', 'Accept: text/html\r\nConnection'))
    expect(answer.split(' ')[1]).toBe(String(status))
  })

  it('refuses a second route with the same path and method', async () => {
    const extension = { name: 'twice', description: '', endpoints: { one: livez, other: livez } }
    const handlers = { one: () => ({}), other: () => ({}) }
    await expect(async () => createToy({ extensions: [{ contract: extension, handlers }] })).rejects.toThrow('is served twice')
  })
})

it('reads no more segments of a path than any path that is served has', () => {
  expect(pathSegments(`/api${'/x'.repeat(7000)}`)).toHaveLength(16)
})

describe('several services in one process', () => {
  it('answer for their own modules', async () => {
    const [one, other] = [await toyAt(1), await toyAt(2)]
    const doors = [await listen(one.service, AT), await listen(other.service, AT)]
    for (let round = 0; round < 2; round++) {
      expect(await levelOf(one)).toEqual({ level: 1 })
      expect(await levelOf(other)).toEqual({ level: 2 })
      const answers = await Promise.all(doors.map(({ address }) => talk(address.port, get(LEVEL))))
      expect(answers.map((answer) => answer.split('\r\n\r\n')[1])).toEqual(['{"level":1}\n', '{"level":2}\n'])
    }
  })

  it('refuse requests on their own: a restart of one device does not affect the others', async () => {
    const [one, other] = [await toyAt(1), await toyAt(2)]
    one.device.state = 'restarting'
    const answers = await Promise.all(
      [one, other].flatMap(({ service }) => [service.inject(LEVEL), service.inject('/api/nothing'), service.inject('/nothing')]),
    )
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([502, 502, 404, 200, 404, 404])
  })

  it('close on their own, and keep the connections of the others', async () => {
    const [one, other] = [await toyAt(1), await toyAt(2)]
    const { address } = await listen(other.service, AT)
    const socket = await dial(address.port)
    await one.service.close()
    socket.write(get(LEVEL))
    const answer = await readToEnd(socket)
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
    expect(await levelOf(other)).toEqual({ level: 2 })
  })

  it('count their own requests', async () => {
    const [one, other] = [await toyAt(1), await toyAt(2)]
    await levelOf(one)
    const counted = async ({ service }: Toy) =>
      /http_requests_total\{service="toy",endpoint="getLevel",method="GET",status="200"\} (\d+)/.exec(
        (await service.inject('/slotwire/metrics')).body,
      )?.[1]
    expect([await counted(one), await counted(other)]).toEqual(['1', '0'])
  })
})

const LABELS = { service: 'toy', endpoint: 'getLevel', method: 'GET' }

function requestsOf(statistics: RequestStatistics): Record<string, number> {
  const family = statistics.families().find(({ name }) => name === 'slotwire_http_requests_total')
  return Object.fromEntries(
    (family?.samples ?? []).map(({ labels, value }) => [`${labels?.['endpoint']} ${labels?.['status']}`, value]),
  )
}

describe('RequestStatistics', () => {
  it('reports some statuses from the start, so that the first failure is visible as an increase', () => {
    const statistics = new RequestStatistics(new ManualClock())
    statistics.record(LABELS)
    expect(requestsOf(statistics)).toEqual({
      'getLevel 200': 0,
      'getLevel 500': 0,
      'getLevel 503': 0,
      'none 400': 0,
      'none 404': 0,
    })
  })

  it('counts each status by itself, also those of leases and sessions', () => {
    const statistics = new RequestStatistics(new ManualClock())
    const record = statistics.record(LABELS)
    for (const status of [423, 412, 423]) record.count(status)
    statistics.countUnmatched(409)
    expect(requestsOf(statistics)).toMatchObject({ 'getLevel 412': 1, 'getLevel 423': 2, 'none 409': 1 })
  })
})
