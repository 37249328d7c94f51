import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { nextTurn } from '@slotwire/core'
import { listen } from '@slotwire/edge'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { dial, heard, heardUntil } from '../../../edge/src/door/socket.testkit.ts'
import { createToy, heldReading, type Toy } from '../toy.testkit.ts'
import { watchDelivery } from './delivery.ts'

const note = (item: number) => `GET /api/toy/1.0/3/note/${item} HTTP/1.1\r\nHost: localhost\r\n\r\n`
let toy: Toy
let port = 0

beforeEach(async () => {
  toy = await createToy()
  port = (await listen(toy.service, { host: '127.0.0.1', port: 0 })).address.port
})

afterEach(() => toy.service.close())

describe('what is handed out once', () => {
  it('is gone when it has been delivered, and what others wait for is not', async () => {
    toy.slot.notifications.merge(Uint8Array.of(0b11))
    const socket = await dial(port)
    socket.write(note(1))
    await heardUntil(socket, '{"rung":true}')
    expect(toy.slot.notifications.has(1)).toBe(false)
    expect(toy.slot.notifications.has(2)).toBe(true)
    socket.write(note(1))
    await heardUntil(socket, '{"rung":false}')
    socket.destroy()
  })

  it('is delivered when the connection ends after the answer', async () => {
    toy.slot.notifications.merge(Uint8Array.of(1))
    const response = await toy.service.inject('/api/toy/1.0/3/note/1')
    expect(response.json()).toEqual({ rung: true })
    expect(response.headers['cache-control']).toBe('no-store')
    expect(toy.slot.notifications.has(1)).toBe(false)
  })

  it('is pending again when the connection breaks while an earlier answer is still awaited', async () => {
    const { reading, finish } = heldReading(toy.slot)
    toy.slot.notifications.merge(Uint8Array.of(1))
    const taken = new Promise<void>((resolve) => {
      const take = toy.slot.notifications.take.bind(toy.slot.notifications)
      toy.slot.notifications.take = (item) => {
        resolve()
        return take(item)
      }
    })
    const givenBack = new Promise<void>((resolve) => {
      const merge = toy.slot.notifications.merge.bind(toy.slot.notifications)
      toy.slot.notifications.merge = (bytes) => {
        const isNew = merge(bytes)
        resolve()
        return isNew
      }
    })
    const socket = await dial(port)
    socket.write(`GET /api/toy/1.0/3/level HTTP/1.1\r\nHost: localhost\r\n\r\n${note(1)}`)
    await Promise.all([reading, taken])
    expect(toy.slot.notifications.has(1)).toBe(false)
    socket.resetAndDestroy()
    await givenBack
    expect(toy.slot.notifications.has(1)).toBe(true)
    finish({ level: 1 })
  })

  it.each([
    ['one request', 1],
    ['three requests at once', 3],
  ])(
    'is pending again when the client resets its connection right after %s, twenty times of twenty',
    async (_title, requests) => {
      for (let attempt = 0; attempt < 20; attempt++) {
        const { notifications } = toy.slot
        notifications.merge(Uint8Array.of(0b111))
        const allBack = givenBackTimes(toy, requests)
        const socket = await dial(port)
        socket.write(Array.from({ length: requests }, (_, index) => note(index + 1)).join(''))
        socket.resetAndDestroy()
        await allBack
        expect([1, 2, 3].filter((item) => notifications.has(item))).toEqual([1, 2, 3])
      }
    },
  )
})

it.each([
  ['a reset', new Error('read ECONNRESET'), true],
  ['an end', undefined, false],
])('%s that is seen right after the answer was handed to the system', async (_title, error, isTakenBack) => {
  let takenBack = false
  const server = createServer((request, response) => {
    watchDelivery(request, response, () => {
      takenBack = true
    })
    response.once('finish', () => {
      nextTurn().then(
        () => request.socket.destroy(error),
        () => undefined,
      )
    })
    response.end()
  })
  await new Promise<void>((resolve) => server.listen({ host: '127.0.0.1', port: 0 }, resolve))
  const socket = await dial((server.address() as AddressInfo).port)
  const over = heard(socket)
  socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')
  await over
  await new Promise((resolve) => server.close(resolve))
  await nextTurn()
  expect(takenBack).toBe(isTakenBack)
})

/** Resolves when items have been given back so many times from now on. */
function givenBackTimes({ slot: { notifications } }: Toy, items: number): Promise<void> {
  return new Promise((resolve) => {
    let given = 0
    const merge = notifications.merge.bind(notifications)
    notifications.merge = (bytes) => {
      const isNew = merge(bytes)
      if (++given === items) {
        notifications.merge = merge
        resolve()
      }
      return isNew
    }
  })
}
