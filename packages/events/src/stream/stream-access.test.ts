import { describe, expect, it, onTestFinished } from 'vitest'
import { basic, openDoors } from '../../../edge/src/access/access.testkit.ts'
import { BATCH_MS, StreamWorld } from './stream.testkit.ts'

async function behindDoors(proxies: readonly string[] = []) {
  const doors = await openDoors({ proxies })
  const world = StreamWorld.at(doors.network, doors.toy, doors.toy.clock)
  onTestFinished(() => world.close())
  const happen = async () => {
    world.journal.add({ kind: 'alert', slot: 3, service: 'toy', pin: 1 })
    world.journal.add({ kind: 'alert', slot: 5, service: 'io', pin: 1 })
    world.journal.add({ kind: 'device', state: 'up' })
    await world.clock.advance(BATCH_MS)
  }
  return { ...doors, world, happen }
}

describe('at the network door', () => {
  it.each([
    ['for all services', {}, [undefined, 'toy', 'io', undefined]],
    ['for one service', { services: ['toy'] }, ['toy', undefined]],
    ['that is read-only', { readOnly: true }, [undefined, 'toy', 'io', undefined]],
  ])('a token %s gets the records of its services', async (_, more, services) => {
    const { world, token, happen } = await behindDoors()
    const client = await world.subscribe('', basic(await token('a', more)))
    world.journal.add({ kind: 'write', path: '/of-another-client' })
    await happen()
    const [hello, ...records] = await client.next(services.length + 1)
    expect(hello?.data?.['kind']).toBe('hello')
    expect(records.map(({ data }) => data?.['service'])).toEqual(services)
  })

  it('a token for other services gets no record of one in an answer, and 403 for a watch of it', async () => {
    const { world, token, happen } = await behindDoors()
    const headers = basic(await token('a', { services: ['io'] }))
    await happen()
    expect((await world.ask('?wait=0s&after=7-0', { headers })).body).not.toContain('"toy"')
    expect((await world.ask('?watch=toy/3/level@1s', { headers })).status).toBe(403)
  })

  it('needs credentials', async () => {
    const { world } = await behindDoors()
    expect((await world.ask('')).status).toBe(401)
  })

  it('ends the stream within a second after its token was revoked, and no other', async () => {
    const { world, token, store, happen } = await behindDoors()
    const ended = await world.subscribe('', basic(await token('a')))
    const other = await world.subscribe('', basic(await token('b')))
    await happen()
    await world.clock.advance(1000)
    expect(world.metric('subscribers')).toBe(2)
    await store.revoke('a')
    await world.clock.advance(1000)
    await happen()
    const kinds = (await ended.rest()).map(({ data }) => data?.['reason'] ?? data?.['kind'])
    expect(kinds).toEqual(['hello', 'alert', 'alert', 'device', 'revoked'])
    expect(await other.next(7)).toHaveLength(7)
  })

  it('ends the stream when its token expires', async () => {
    const { world, token, dateIn, clock } = await behindDoors()
    const client = await world.subscribe('', basic(await token('a', { expires: dateIn(5000) })))
    await world.clock.advance(1000)
    expect(world.metric('subscribers')).toBe(1)
    await clock.advance(5000)
    await world.clock.advance(1000)
    expect((await client.rest()).at(-1)?.data).toMatchObject({ kind: 'end', reason: 'revoked' })
  })
})

describe('behind a proxy that checks tokens with an authorization request', () => {
  const asking = (path: string, credentials: Readonly<Record<string, string>>) => ({
    path: '/slotwire/auth',
    headers: { 'x-forwarded-for': '192.0.2.7', 'x-original-uri': path, 'x-original-method': 'GET', ...credentials },
  })

  it.each([
    ['refuses', 'is not in the settings: every service would be shown', [], 403],
    ['accepts', 'is in the settings: the door filters by the token', ['127.0.0.1'], 204],
  ])('%s a token for one service if the proxy %s', async (_, _why, proxies, expected) => {
    const { atLoopback, token } = await behindDoors(proxies)
    const credentials = basic(await token('a', { services: ['toy'] }))
    for (const path of [
      '/slotwire/events',
      '/slotwire/events?after=7-1',
      '/slotwire//state/',
      '/slotwire/history',
      '/slotwire/leases/1',
    ])
      expect([path, (await atLoopback(asking(path, credentials))).status]).toEqual([path, expected])
    expect((await atLoopback(asking('/slotwire/events', basic(await token('all'))))).status).toBe(204)
  })
})
