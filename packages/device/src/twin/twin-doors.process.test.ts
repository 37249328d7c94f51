import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { ManualClock, SystemClock } from '@slotwire/core'
import { hang } from '@slotwire/twin'
import { describe, expect, it } from 'vitest'
import { useTwins } from './twin.testkit.ts'

const twinOn = useTwins()
const pace = new SystemClock()
const VALUES = '/api/io/1.0/3/input/values'

/** A client that got a 400 and keeps its side open. */
async function refusedAt(url: string): Promise<Socket> {
  const socket = connect({ host: '127.0.0.1', port: Number(new URL(url).port), allowHalfOpen: true })
  socket.on('error', () => undefined).resume()
  socket.write('nonsense\r\n\r\n')
  await once(socket, 'end')
  return socket
}

/** Sends until the connection is cut. */
async function cutOff(socket: Socket): Promise<void> {
  while (!socket.destroyed) {
    socket.write('more')
    await pace.sleep(20)
  }
}

describe('the doors of a twin with paused time', () => {
  it('cut a refused connection in real time', async () => {
    const twin = await twinOn()
    const beforeMs = twin.clock.now()
    const socket = await refusedAt(await twin.listen())
    await cutOff(socket)
    expect(twin.clock.now()).toBe(beforeMs)
  })

  it('answer 503 to a waiting request when they close', async () => {
    let transfers = 0
    const twin = await twinOn({ limits: { closeMs: 100 }, onTransfer: () => transfers++ })
    const url = await twin.listen()
    const before = transfers
    twin.bench.slot(3).inject(hang())
    const asked = fetch(`${url}${VALUES}`, { headers: { 'cache-control': 'no-cache' } })
    await expect.poll(() => transfers).toBeGreaterThan(before)
    const beforeMs = twin.clock.now()
    await twin.service.close()
    expect((await asked).status).toBe(503)
    expect(twin.clock.now()).toBe(beforeMs)
  })

  it('use the real time of the options', async () => {
    const realTime = new ManualClock()
    const twin = await twinOn({ realTime })
    const socket = await refusedAt(await twin.listen())
    await expect.poll(() => realTime.pending).toBe(1)
    await realTime.advance(1000)
    await cutOff(socket)
  })
})
