import { once } from 'node:events'
import { connect } from 'node:net'
import { ManualClock } from '@slotwire/core'
import { listen } from '@slotwire/edge'
import { beforeEach, describe, expect, it } from 'vitest'
import { answersIn, dial, readToEnd } from '../../edge/src/door/socket.testkit.ts'
import { CACHE_MS } from './pipeline/slot-cache.ts'
import type { WriteRecord } from './pipeline/write-records.ts'
import { createToy, heldReading, type Toy } from './toy.testkit.ts'

let toy: Toy
let realTime: ManualClock
let writes: WriteRecord[]
beforeEach(async () => {
  realTime = new ManualClock()
  writes = []
  toy = await createToy({ realTime, onWrite: (record) => writes.push(record) })
})

async function level(): Promise<number> {
  return (await toy.service.inject('/api/toy/1.0/3/level/cached')).json<{ level: number }>().level
}

describe('a service with separate clocks for device and clients', () => {
  it("caches values for a second of the device's time", async () => {
    let reading = 0
    toy.slot.script = { GET_LEVEL: () => ({ level: ++reading }) }
    expect(await level()).toBe(1)
    await realTime.advance(10 * CACHE_MS)
    expect(await level()).toBe(1)
    await toy.clock.advance(CACHE_MS)
    expect(await level()).toBe(2)
  })

  it('measures writes in real time', async () => {
    toy.slot.script = {
      FEED: async () => {
        await toy.clock.advance(60_000)
        await realTime.advance(12)
        return {}
      },
    }
    await toy.service.inject('/api/toy/1.0/3/feed')
    expect(writes).toMatchObject([{ status: 200, durationMs: 12 }])
  })

  it("closes in real time while the device's clock stands still", async () => {
    const { address } = await listen(toy.service, { host: '127.0.0.1', port: 0 })
    const { reading } = heldReading(toy.slot)
    const socket = await dial(address.port)
    const end = readToEnd(socket)
    socket.write('GET /api/toy/1.0/3/level HTTP/1.1\r\nHost: localhost\r\n\r\n')
    await reading
    const closed = toy.service.close()
    await realTime.advance(1350)
    expect(answersIn(await end).map(({ status }) => status)).toEqual([503])
    await closed
    expect([toy.clock.pending, toy.clock.now()]).toEqual([0, 0])
  })

  it('runs no write whose client got 503 while it waited', async () => {
    let open = (): void => undefined
    toy.slot.gate = new Promise((resolve) => {
      open = resolve
    })
    const answer = toy.service.inject({ method: 'POST', url: '/api/toy/1.0/3/level', payload: { level: 5 } })
    await expect.poll(() => toy.service.context.running.size).toBe(1)
    await realTime.advance(31_000)
    expect((await answer).headers['slotwire-error']).toBe('time-paused')
    open()
    await expect.poll(() => toy.service.context.running.size).toBe(0)
    expect(toy.slot.sent).toEqual([])
  })

  it('closes refused connections in real time', async () => {
    const { address } = await listen(toy.service, { host: '127.0.0.1', port: 0 })
    // The client keeps its side open after the server has ended.
    const socket = connect({ host: '127.0.0.1', port: address.port, allowHalfOpen: true })
    socket.on('error', () => undefined).resume()
    socket.write('nonsense\r\n\r\n')
    await once(socket, 'end')
    await expect.poll(() => realTime.pending).toBe(1)
    expect(toy.clock.pending).toBe(0)
    await realTime.advance(1000)
    expect(realTime.pending).toBe(0)
    socket.destroy()
    await toy.service.close()
  })
})
