import { coreErrors } from '@slotwire/core'
import { SlotNeeded } from '@slotwire/driver'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Refused } from '../../../service/src/fake-slot.testkit.ts'
import { StreamWorld } from './stream.testkit.ts'
import { changesOf } from './watches.ts'

let world: StreamWorld
beforeEach(async () => (world = await StreamWorld.open()))
afterEach(() => world.close())

/** The device's time and real time pass together. */
async function pass(ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 10) {
    await world.toy.clock.advance(10)
    await world.clock.advance(10)
  }
}

async function watch(query: string) {
  const client = await world.subscribe(query)
  await client.next()
  return client
}

const level = (value: number) => {
  world.toy.slot.script = { GET_LEVEL: { level: value } }
}

describe('a watched value', () => {
  it('is sent in full, then when it changes, with the id of the last record', async () => {
    const client = await watch('?watch=toy/3/part/1@250ms')
    await world.alerts(1)
    await pass(300)
    const full = {
      kind: 'value',
      watch: 'toy/3/part/1',
      at: '1970-01-01T00:00:00.000Z',
      full: true,
      value: { item: 1, level: 7 },
    }
    expect(await client.next(2)).toMatchObject([{ id: '7-1' }, { id: '7-1', data: full }])
    level(8)
    await pass(300)
    expect(await client.data()).toEqual({ ...full, full: false, value: { level: 8 } })
  })

  it('is sent in full again every 60 s, although it did not change', async () => {
    const client = await watch('?watch=toy/3/level@30s')
    await pass(59_000)
    expect(await client.next()).toMatchObject([{ data: { full: true } }])
    await pass(2000)
    const received = [await client.data()]
    while (received.at(-1) === undefined) received.push(await client.data())
    expect(received.at(-1)).toMatchObject({ full: true, value: { level: 7 } })
  }, 20_000)

  it('is read once for all its watchers, at the smallest interval', async () => {
    const fast = await watch('?watch=toy/3/level@100ms')
    const slow = await watch('?watch=toy/3/level@1s')
    await pass(2000)
    expect(world.toy.slot.spareReads).toBeGreaterThan(16)
    expect(world.toy.slot.spareReads).toBeLessThan(23)
    expect([await fast.next(), await slow.next()]).toMatchObject([[{ data: { full: true } }], [{ data: { full: true } }]])
    level(8)
    await pass(150)
    expect(await fast.data()).toMatchObject({ full: false, value: { level: 8 } })
    fast.close()
    await pass(1100)
    expect(await slow.data()).toMatchObject({ full: false, value: { level: 8 } })
    const before = world.toy.slot.spareReads
    await pass(5000)
    expect(world.toy.slot.spareReads - before).toBeLessThan(7)
  })

  it('can be one of several, repeated or separated by commas', async () => {
    const client = await watch('?watch=toy/3/level@100ms,toy/3/part/1@100ms&watch=toy/3/part/2@100ms')
    await pass(150)
    const watched = (await client.next(3)).map(({ data }) => data?.['watch'])
    expect(watched).toEqual(['toy/3/level', 'toy/3/part/1', 'toy/3/part/2'])
  })

  it('is left out while the module is busy, and while the time of the device stands still', async () => {
    const client = await watch('?watch=toy/3/level@100ms&kinds=usb')
    await world.clock.advance(5000)
    expect(world.toy.slot.spareReads).toBe(0)
    for (const busy of [new SlotNeeded(), coreErrors.queueFull({ slot: 3, limit: 1 })]) {
      world.toy.slot.script = { GET_LEVEL: busy }
      await pass(500)
    }
    expect(world.toy.slot.spareReads).toBeGreaterThan(5)
    level(9)
    await pass(200)
    expect(await client.data()).toMatchObject({ full: true, value: { level: 9 } })
  })

  it('is not read again before a slow reading has ended', async () => {
    let finish = (): void => undefined
    world.toy.slot.spare = new Promise((resolve) => {
      finish = resolve
    })
    const client = await watch('?watch=toy/3/level@50ms')
    await pass(1000)
    expect(world.toy.slot.spareReads).toBe(1)
    finish()
    await pass(100)
    expect(await client.data()).toMatchObject({ full: true })
  })

  it('is an error while the module is away, once, and full when it is back', async () => {
    const client = await watch('?watch=toy/3/level@100ms')
    await pass(200)
    const { rack } = world.toy.service.context
    const { find } = rack
    rack.find = () => undefined
    await pass(500)
    rack.find = find
    await pass(200)
    expect((await client.next(3)).map(({ data }) => data)).toMatchObject([
      { full: true },
      { kind: 'value', watch: 'toy/3/level', error: { status: 404, code: 'slot-not-usable' } },
      { full: true, value: { level: 7 } },
    ])
  })

  it('is an error if the module refuses to be read', async () => {
    world.toy.slot.script = { GET_LEVEL: new Refused(0x80) }
    const client = await watch('?watch=toy/3/level@100ms')
    await pass(200)
    expect(await client.data()).toMatchObject({ error: { status: 400, code: 'command-refused' } })
  })

  it('is an error in any slot without a module', async () => {
    const client = await watch('?watch=toy/5/level@100ms')
    await pass(200)
    expect(await client.data()).toMatchObject({ watch: 'toy/5/level', error: { code: 'slot-not-usable' } })
  })

  it('stops being read with its last watcher', async () => {
    const client = await watch('?watch=toy/3/level@50ms')
    client.close()
    await expect.poll(() => pass(500).then(() => world.metric('subscribers'))).toBe(0)
    const before = world.toy.slot.spareReads
    await pass(1000)
    expect(world.toy.slot.spareReads).toBe(before)
    expect(world.clock.pending).toBe(0)
  })
})

describe('changesOf', () => {
  /** Applies a JSON merge patch, as RFC 7396 says in its section 2. */
  function patched(target: unknown, patch: unknown): unknown {
    if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch
    const result = new Map<string, unknown>(
      typeof target === 'object' && target !== null && !Array.isArray(target) ? Object.entries(target) : [],
    )
    for (const [name, value] of Object.entries(patch)) {
      if (value === null) result.delete(name)
      else result.set(name, patched(result.get(name), value))
    }
    return Object.fromEntries(result)
  }

  const leaf = fc.oneof(fc.integer({ min: 0, max: 2 }), fc.constantFrom('a', 'b'), fc.array(fc.boolean(), { maxLength: 2 }))
  const name = fc.constantFrom('a', 'b', 'c')
  const tree = fc.dictionary(name, fc.oneof(leaf, fc.dictionary(name, leaf, { maxKeys: 3 })), { maxKeys: 3 })

  it('gives the patch that turns one value into the other, and nothing for the same value', () =>
    fc.assert(
      fc.property(tree, tree, (before, after) => {
        const changes = changesOf(before, after)
        expect(changes === undefined ? before : patched(before, changes)).toEqual(after)
        expect(changesOf(after, structuredClone(after))).toBeUndefined()
      }),
    ))
})
