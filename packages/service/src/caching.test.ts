import { coreErrors } from '@slotwire/core'
import { beforeEach, describe, expect, it } from 'vitest'
import { CACHE_MS, MAX_CACHE_ENTRIES } from './pipeline/slot-cache.ts'
import { createToy, type Toy } from './toy.testkit.ts'

const cached = '/api/toy/1.0/3/level/cached'
const live = '/api/toy/1.0/3/level'
let toy: Toy
let reading = 0

beforeEach(async () => {
  toy = await createToy()
  reading = 0
  toy.slot.script = { ...toy.slot.script, GET_LEVEL: () => ({ level: ++reading }) }
})

async function level(url = cached, cacheControl?: string) {
  const headers = cacheControl === undefined ? {} : { 'cache-control': cacheControl }
  const response = await toy.service.inject({ url, headers })
  return { level: response.json<{ level: number }>().level, headers: response.headers }
}

describe('values that are cached for a second', () => {
  it('are read once a second', async () => {
    expect((await level()).level).toBe(1)
    await toy.clock.advance(CACHE_MS - 1)
    expect((await level()).level).toBe(1)
    await toy.clock.advance(1)
    expect((await level()).level).toBe(2)
  })

  it('have an age, and forbid longer caching', async () => {
    for (const { headers } of [await level(), await level()]) {
      expect(headers).toMatchObject({ age: '0', 'cache-control': 'no-cache', 'content-type': 'application/json' })
    }
  })

  it('expire a second after the reading, not after the response', async () => {
    toy.slot.script = {
      GET_LEVEL: async () => {
        await toy.clock.sleep(400)
        return { level: ++reading }
      },
    }
    const first = level()
    await toy.clock.advance(400)
    expect((await first).level).toBe(1)
    await toy.clock.advance(CACHE_MS - 1)
    expect((await level()).level).toBe(1)
  })

  it.each(['no-cache', 'No-Cache', 'max-age=5, no-cache', ' no-cache ,x'])(
    'are read again with cache-control: %s',
    async (directive) => {
      await level()
      expect((await level(cached, directive)).level).toBe(2)
      expect(toy.slot.reads.map(({ fresh }) => fresh)).toEqual([false, true])
    },
  )

  it.each(['max-age=0', 'no-store', 'no-cached', 'x-no-cache', ''])(
    'are not read again with cache-control: %s',
    async (directive) => {
      await level()
      expect((await level(cached, directive)).level).toBe(1)
    },
  )

  it.each(['written', 'notified', 'reset', 'session'] as const)('are dropped after the slot event %s', async (event) => {
    await level()
    toy.slot.emit(event)
    expect((await level()).level).toBe(2)
  })

  it('are cached per parameter, up to a limit, the latest ones', async () => {
    const part = async (item: number) => {
      const { body } = await toy.service.inject(`/api/toy/1.0/3/part/${item}`)
      return JSON.parse(body) as { item: number; level: number }
    }
    expect([await part(1), await part(2), await part(1)]).toEqual([
      { item: 1, level: 1 },
      { item: 2, level: 2 },
      { item: 1, level: 1 },
    ])
    expect(toy.slot.reads.map(({ key }) => key)).toEqual(['getPart 1', 'getPart 2'])
    for (let item = 3; item <= MAX_CACHE_ENTRIES + 1; item++) await part(item)
    expect((await part(2)).level).toBe(2)
    expect((await part(1)).level).toBe(MAX_CACHE_ENTRIES + 2)
  })

  it('are not cached if a slot event occurred during the reading', async () => {
    toy.slot.script = {
      GET_LEVEL: () => {
        if (++reading === 1) toy.slot.emit('notified')
        return { level: reading }
      },
    }
    expect((await level()).level).toBe(1)
    expect((await level()).level).toBe(2)
    expect((await level()).level).toBe(2)
  })

  it('are cached if the slot was written before the reading', async () => {
    let open: () => void = () => undefined
    toy.slot.gate = new Promise((resolve) => {
      open = resolve
    })
    const waiting = level()
    await toy.clock.advance(0)
    toy.slot.emit('written')
    open()
    expect((await waiting).level).toBe(1)
    expect((await level()).level).toBe(1)
  })

  it('are not cached if the reading failed', async () => {
    toy.slot.script = { GET_LEVEL: coreErrors.moduleFailed({ slot: 3, command: 'GET_LEVEL', attempts: 3 }) }
    expect((await toy.service.inject(cached)).statusCode).toBe(500)
    toy.slot.script = { GET_LEVEL: { level: 9 } }
    expect((await level()).level).toBe(9)
  })
})

describe('values without caching', () => {
  it('are read every time and must not be stored', async () => {
    expect((await level(live)).level).toBe(1)
    const second = await level(live)
    expect(second.level).toBe(2)
    expect(second.headers['cache-control']).toBe('no-store')
    expect(second.headers['age']).toBeUndefined()
  })
})
