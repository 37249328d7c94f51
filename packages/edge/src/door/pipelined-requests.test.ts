import type { Socket } from 'node:net'
import { coreErrors, nextTurn } from '@slotwire/core'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createToy, heldReading, type Toy } from '../../../service/src/toy.testkit.ts'
import { listen } from './door.ts'
import { headProblem, type RequestHead } from './request-head.ts'
import { answersIn, dial, readToEnd, readUntil } from './socket.testkit.ts'

const HOST = 'Host: localhost\r\n'
let toy: Toy
let port = 0
beforeEach(async () => {
  toy = await createToy()
  port = (await listen(toy.service, { host: '127.0.0.1', port: 0 })).address.port
})
afterEach(() => toy.service.close())

describe('pipelined requests', () => {
  it('begin a few in one turn of the event loop, and are all answered', async () => {
    let turn = 0
    const inTurn = new Map<number, number>()
    const answer = toy.service.routes.answer.bind(toy.service.routes)
    vi.spyOn(toy.service.routes, 'answer').mockImplementation((...request) => {
      inTurn.set(turn, (inTurn.get(turn) ?? 0) + 1)
      answer(...request)
    })
    const socket = await dial(port)
    const all = readToEnd(socket)
    socket.write(
      `GET /slotwire/livez HTTP/1.1\r\n${HOST}\r\n`.repeat(99) +
        `GET /slotwire/livez HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`,
    )
    let isOver = false
    void all.then(() => {
      isOver = true
    })
    while (!isOver) {
      await nextTurn()
      turn++
    }
    expect(answersIn(await all).filter(({ status }) => status === 200)).toHaveLength(100)
    expect(Math.max(...inTurn.values())).toBeLessThanOrEqual(8)
  })

  it('get 400 after the answers to the first hundred and one, and the connection ends', async () => {
    const socket = await dial(port)
    const all = readToEnd(socket)
    socket.write(`GET /slotwire/livez HTTP/1.1\r\n${HOST}\r\n`.repeat(1000))
    const statuses = answersIn(await all).map(({ status }) => status)
    expect(statuses).toEqual([...Array<number>(101).fill(200), 400])
  })

  it.each([
    ['a malformed one', 400, 'GARBAGE\r\n\r\n'],
    ['CONNECT', 404, 'CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n'],
  ])('are answered in order, %s after those before it', async (_, refusal, last) => {
    const { reading, finish } = heldReading(toy.slot)
    const socket = await dial(port)
    const all = readToEnd(socket)
    socket.write(`GET /api/toy/1.0/3/level HTTP/1.1\r\n${HOST}\r\nGET /slotwire/livez HTTP/1.1\r\n${HOST}\r\n${last}`)
    await reading
    finish({ level: 5 })
    expect(answersIn(await all).map(({ status, body }) => [status, body.slice(0, 20)])).toEqual([
      [200, '{"level":5}\n'],
      [200, '{"status":"success"}'],
      [refusal, '{"status":"error","c'],
    ])
  })
})

describe('requests that wait for a turn', () => {
  const WRITE = `POST /api/toy/1.0/3/level HTTP/1.1\r\n${HOST}Content-Type: application/json\r\n`

  /** Sends bytes of a request, and returns what begins it. */
  async function postponed(bytes: string) {
    const waiting: (() => void)[] = []
    const run = vi.spyOn(toy.service.context.turns, 'run').mockImplementation((work) => void waiting.push(work))
    const socket = await dial(port)
    socket.write(bytes)
    await expect.poll(() => waiting.length).toBe(1)
    return { socket, begin: () => (run.mockRestore(), waiting[0]?.()) }
  }

  it('are not begun if their client has gone', async () => {
    const { socket, begin } = await postponed(`${WRITE}Content-Length: 11\r\n\r\n{"level":1}`)
    socket.resetAndDestroy()
    await expect.poll(() => toy.service.context.requests.connections.loopback).toBe(0)
    begin()
    await nextTurn()
    expect([toy.slot.sent, toy.service.context.running.size]).toEqual([[], 0])
  })

  it('get 400 for a body that was malformed meanwhile', async () => {
    const { socket, begin } = await postponed(`${WRITE}Transfer-Encoding: chunked\r\n\r\nzz\r\n`)
    const all = readToEnd(socket)
    await nextTurn()
    begin()
    expect(answersIn(await all).map(({ status }) => status)).toEqual([400])
  })

  it('leave no listener on their connection when they end before their turn', async () => {
    const accepted = vi.spyOn(toy.service.context.requests, 'countConnection')
    vi.spyOn(toy.slot, 'write').mockImplementation((_, { wait } = {}) => {
      wait?.begin()
      return Promise.reject(coreErrors.requestOvertaken({ slot: 3 }))
    })
    const socket = await dial(port)
    const listeners: unknown[] = []
    for (let count = 0; count < 3; count++) {
      const answered = readUntil(socket, '409 Conflict')
      socket.write(`${WRITE}Content-Length: 11\r\n\r\n{"level":1}`)
      await answered
      listeners.push((accepted.mock.calls[0]?.[1] as Socket).listenerCount('end'))
    }
    expect(new Set(listeners).size).toBe(1)
    socket.destroy()
  })
})

const HEAD: RequestHead = {
  httpVersionMajor: 1,
  httpVersion: '1.1',
  headers: { host: 'localhost' },
  rawHeaders: ['Host', 'localhost'],
}

const withHeader = (name: string): RequestHead => ({ ...HEAD, rawHeaders: [...HEAD.rawHeaders, name, 'x'] })

describe('headProblem', () => {
  it.each(['a', "!#$%&'*+-.^_`|~", 'X-Request-Id'])('accepts the header name %s', (name) =>
    expect(headProblem(withHeader(name))).toBeUndefined(),
  )

  it('requires exactly one Host in HTTP/1.1, and none in HTTP/1.0', () => {
    const without = { ...HEAD, headers: {}, rawHeaders: [] }
    expect(headProblem(without)).toBe('the Host header is missing')
    expect(headProblem({ ...without, httpVersion: '1.0' })).toBeUndefined()
    expect(headProblem(withHeader('HOST'))).toBe('there is more than one Host header')
  })
})
