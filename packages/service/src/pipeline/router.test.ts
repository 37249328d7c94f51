import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { nextTurn } from '@slotwire/core'
import { afterEach, describe, expect, it } from 'vitest'
import { dial, heard, talk } from '../listener/socket.testkit.ts'
import { createToy, type Toy } from '../toy.testkit.ts'
import type { Answering } from './answering.ts'
import { routerFor } from './router.ts'

const AT = { host: '127.0.0.1', port: 0 }
const LEVEL = '/api/toy/1.0/3/level'
const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`
const routes = (...urls: string[]) => urls.map((url) => ({ methods: ['GET'], url }))
const parameterLength = 100

const toys: Toy[] = []
afterEach(async () => {
  for (const toy of toys.splice(0)) await toy.service.close()
})

/** A service of its own whose module is at this level. */
async function toyAt(level: number): Promise<Toy> {
  const toy = await createToy()
  toy.slot.script = { GET_LEVEL: { level }, SET_LEVEL: {} }
  toys.push(toy)
  return toy
}

async function levelOf({ service }: Toy): Promise<unknown> {
  return (await service.inject(LEVEL)).json()
}

describe('routerFor', () => {
  it('gives the same router for the same routes, another for others', async () => {
    const router = await routerFor({ routes: routes('/a', '/b'), parameterLength })
    expect(await routerFor({ routes: routes('/a', '/b'), parameterLength })).toBe(router)
    expect(await routerFor({ routes: routes('/a'), parameterLength })).not.toBe(router)
    expect(await routerFor({ routes: routes('/a', '/b'), parameterLength: 50 })).not.toBe(router)
    expect(await routerFor({ routes: [{ methods: ['POST'], url: '/a' }, ...routes('/b')], parameterLength })).not.toBe(router)
  })

  it('forgets what was asked for long ago: memory is bounded', async () => {
    const router = await routerFor({ routes: routes('/first'), parameterLength })
    for (let number = 0; number < 8; number++) await routerFor({ routes: routes(`/${number}`), parameterLength })
    expect(await routerFor({ routes: routes('/first'), parameterLength })).not.toBe(router)
  })

  it('rejects for routes that cannot be told apart, and does not remember that', async () => {
    const twice = { routes: routes('/same', '/same'), parameterLength }
    const first = routerFor(twice)
    await expect(first).rejects.toThrow('already declared')
    const second = routerFor(twice)
    expect(second).not.toBe(first)
    await expect(second).rejects.toThrow('already declared')
  })
})

describe('a router', () => {
  it('keeps nothing of a service whose request it could not even make', async () => {
    setFlagsFromString('--expose-gc')
    const collect = runInNewContext('gc') as () => void
    const router = await routerFor({ routes: routes('/kept'), parameterLength })
    // What is expected here would be kept by the expectation.
    const refused = async (): Promise<WeakRef<Answering>> => {
      const answering: Answering = { routes: { handle: () => undefined }, refuse: () => undefined, fail: () => undefined }
      const asked = router.inject({ method: 'NOPE' as 'GET', url: '/kept' }, answering)
      const refusal: unknown = await asked.catch((error: unknown) => error)
      if (!(refusal instanceof Error)) throw new Error('it was made')
      return new WeakRef(answering)
    }
    const gone = await refused()
    await nextTurn()
    collect()
    expect(gone.deref()).toBeUndefined()
  })
})

describe('services that share a router', () => {
  it('answer for their own modules, whoever is asked in between', async () => {
    const [one, other] = [await toyAt(1), await toyAt(2)]
    const doors = [await one.service.listen(AT), await other.service.listen(AT)]
    for (let round = 0; round < 2; round++) {
      expect(await levelOf(one)).toEqual({ level: 1 })
      expect(await levelOf(other)).toEqual({ level: 2 })
      const answers = await Promise.all(doors.map(({ address }) => talk(address.port, get(LEVEL))))
      expect(answers.map((answer) => answer.split('\r\n\r\n')[1])).toEqual(['{"level":1}', '{"level":2}'])
    }
  })

  it('refuse each for itself: one whose device restarts leaves the others alone', async () => {
    const [one, other] = [await toyAt(1), await toyAt(2)]
    one.device.state = 'restarting'
    const answers = await Promise.all(
      [one, other].flatMap(({ service }) => [service.inject(LEVEL), service.inject('/api/nothing'), service.inject('/nothing')]),
    )
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([502, 502, 404, 200, 404, 404])
  })

  it('close each for itself, and cost the others neither connections nor answers', async () => {
    const [one, other] = [await toyAt(1), await toyAt(2)]
    const { address } = await other.service.listen(AT)
    const socket = await dial(address.port)
    await one.service.close()
    socket.write(get(LEVEL))
    const answer = await heard(socket)
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
    expect(await levelOf(other)).toEqual({ level: 2 })
  })

  it('count each its own requests', async () => {
    const [one, other] = [await toyAt(1), await toyAt(2)]
    await levelOf(one)
    const counted = async ({ service }: Toy) =>
      /http_requests_total\{service="toy",endpoint="getLevel",method="GET",status="200"\} (\d+)/.exec(
        (await service.inject('/slotwire/metrics')).body,
      )?.[1]
    expect([await counted(one), await counted(other)]).toEqual(['1', '0'])
  })
})
