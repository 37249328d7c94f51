import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { nextTurn } from '@slotwire/core'
import { listen } from '@slotwire/edge'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { dial, readToEnd, readUntil } from '../../../edge/src/door/socket.testkit.ts'
import { createToy, heldReading, type Toy } from '../toy.testkit.ts'
import { watchDelivery } from './answer.ts'

const note = (item: number) => `GET /api/toy/1.0/3/note/${item} HTTP/1.1\r\nHost: localhost\r\n\r\n`
let toy: Toy
let port = 0

beforeEach(async () => {
  toy = await createToy()
  port = (await listen(toy.service, { host: '127.0.0.1', port: 0 })).address.port
})

afterEach(() => toy.service.close())

describe('notifications that are cleared by reading', () => {
  it('are cleared after delivery, and others stay pending', async () => {
    toy.slot.notifications.merge(Uint8Array.of(0b11))
    const socket = await dial(port)
    socket.write(note(1))
    await readUntil(socket, '{"rung":true}')
    expect(toy.slot.notifications.has(1)).toBe(false)
    expect(toy.slot.notifications.has(2)).toBe(true)
    socket.write(note(1))
    await readUntil(socket, '{"rung":false}')
    socket.destroy()
  })

  it('are delivered if the connection ends after the response', async () => {
    toy.slot.notifications.merge(Uint8Array.of(1))
    const response = await toy.service.inject('/api/toy/1.0/3/note/1')
    expect(response.json()).toEqual({ rung: true })
    expect(response.headers['cache-control']).toBe('no-store')
    expect(toy.slot.notifications.has(1)).toBe(false)
  })

  it('are pending again if the connection breaks while an earlier response is awaited', async () => {
    const { reading, finish } = heldReading(toy.slot)
    toy.slot.notifications.merge(Uint8Array.of(1))
    const taken = new Promise<void>((resolve) => {
      const take = toy.slot.notifications.take.bind(toy.slot.notifications)
      toy.slot.notifications.take = (item) => {
        resolve()
        return take(item)
      }
    })
    const restored = new Promise<void>((resolve) => {
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
    await restored
    expect(toy.slot.notifications.has(1)).toBe(true)
    finish({ level: 1 })
  })

  it.each([
    ['one request', 1],
    ['three requests at once', 3],
  ])('are pending again if the client resets its connection right after %s, in twenty attempts', async (_title, requests) => {
    const { notifications } = toy.slot
    const { connections } = toy.service.context.requests
    notifications.merge(Uint8Array.of(0b111))
    for (let attempt = 0; attempt < 20; attempt++) {
      const socket = await dial(port)
      await expect.poll(() => connections.loopback).toBe(1)
      socket.write(Array.from({ length: requests }, (_, index) => note(index + 1)).join(''))
      socket.resetAndDestroy()
      // A reset can overtake requests that are not read yet: they take nothing.
      await expect.poll(() => connections.loopback).toBe(0)
      expect([1, 2, 3].filter((item) => notifications.has(item))).toEqual([1, 2, 3])
    }
  })
})

it.each([
  ['undoes the delivery after a reset', new Error('read ECONNRESET'), true],
  ['keeps the delivery after an end', undefined, false],
])('watchDelivery %s that is detected right after the response was sent', async (_title, error, isTakenBack) => {
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
  const over = readToEnd(socket)
  socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')
  await over
  await new Promise((resolve) => server.close(resolve))
  await nextTurn()
  expect(takenBack).toBe(isTakenBack)
})
