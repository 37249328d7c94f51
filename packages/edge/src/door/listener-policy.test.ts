import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { coreErrors, silentLog } from '@slotwire/core'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createToy, heldReading, type Toy } from '../../../service/src/toy.testkit.ts'
import { listen } from './door.ts'
import type { CheckAccess, ListenerPolicy } from './listener-policy.ts'
import { answersIn, dial, readToEnd, readUntil, talk } from './socket.testkit.ts'

const AT = { host: '127.0.0.1', port: 0 }
const REFUSAL = { status: 401, headers: { 'www-authenticate': 'Basic realm="toy"' }, body: '{"who":"are you"}' }
const CALLER = { door: 'network', address: '192.0.2.7', readOnly: false } as const
const get = (path: string, headers = '') => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${headers}\r\n`
const LIVEZ = '/slotwire/livez'
const END = 'Connection: close\r\n'
let toy: Toy
let errors: unknown[] = []

beforeEach(async () => {
  errors = []
  toy = await createToy({ log: { ...silentLog, error: (fields) => errors.push(fields) } })
})

afterEach(() => toy.service.close())

const open = async (policy: ListenerPolicy) => (await listen(toy.service, AT, policy)).address.port
const closed = (): ListenerPolicy => ({ checkAccess: () => ({ answer: REFUSAL }) })

describe('a client that is refused', () => {
  it('gets the refusal for every path and keeps the connection', async () => {
    const port = await open(closed())
    const answers = answersIn(await talk(port, get('/') + get('/nowhere') + get('/api/toy/1.0/3/level', END)))
    expect(answers.map(({ status, body }) => [status, body])).toEqual(Array(3).fill([401, REFUSAL.body]))
    expect(answers.map(({ headers }) => headers['connection'])).toEqual(['keep-alive', 'keep-alive', 'close'])
    expect(answers[0]?.headers['www-authenticate']).toBe('Basic realm="toy"')
    expect(toy.slot.reads).toEqual([])
  })

  it('gets no body for HEAD', async () => {
    const text = await talk(await open(closed()), `HEAD / HTTP/1.1\r\nHost: localhost\r\n${END}\r\n`)
    expect(text).toMatch(/^HTTP\/1\.1 401 /)
    expect(text).toMatch(/content-length: 17\r\n/i)
    expect(text.endsWith('\r\n\r\n')).toBe(true)
  })

  it.each([
    ['a length', 'Content-Length: 5\r\n\r\nhello'],
    ['chunks', 'Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n'],
    ['a body that never comes', 'Content-Length: 5\r\n\r\n'],
    ['a body that waits for 100 Continue', 'Content-Length: 5\r\nExpect: 100-continue\r\n\r\n'],
    ['a broken chunk', 'Transfer-Encoding: chunked\r\n\r\nzz\r\n'],
  ])('loses the connection if its request has a body, and later requests are not started: %s', async (_, rest) => {
    const checkAccess: CheckAccess = ({ method }) => (method === 'POST' ? { answer: REFUSAL } : { caller: CALLER })
    const port = await open({ checkAccess })
    const head = 'POST /api/toy/1.0/3/level HTTP/1.1\r\nHost: localhost\r\n'
    const answers = answersIn(await talk(port, `${head}${rest}`, get('/api/toy/1.0/3/feed')))
    expect(answers.map(({ status, headers }) => [status, headers['connection']])).toEqual([[401, 'close']])
    expect(toy.slot.sent).toEqual([])
  })

  it('gets the refusal even if it sends megabytes first', async () => {
    const socket = await dial(await open(closed()))
    socket.pause()
    socket.write('POST /api/toy/1.0/3/level HTTP/1.1\r\nHost: localhost\r\nContent-Length: 8000000\r\n\r\n')
    await new Promise<void>((resolve, reject) => {
      socket.write(Buffer.alloc(8_000_000), (error) => (error ? reject(error) : resolve()))
    })
    const all = readToEnd(socket)
    socket.resume()
    expect(answersIn(await all).map(({ status }) => status)).toEqual([401])
  })

  it('is disconnected if it does not close the connection', async () => {
    const socket = await dial(await open(closed()))
    socket.allowHalfOpen = true
    socket.write('POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 8\r\n\r\n')
    await readUntil(socket, REFUSAL.body)
    await expect.poll(() => toy.clock.pending).toBe(1)
    await toy.clock.advance(1000)
    // A door closes when its last connection has ended.
    await toy.service.close()
    socket.destroy()
  })

  it('gets 500 when the access check throws, and the next client is served', async () => {
    let times = 0
    const checkAccess = () => {
      if (times++ === 0) throw new Error('a bug')
      return { caller: CALLER }
    }
    const port = await open({ checkAccess })
    const ask = async () => answersIn(await talk(port, get(LIVEZ, END))).map(({ status }) => status)
    expect([await ask(), await ask()]).toEqual([[500], [200]])
    expect(errors).toHaveLength(1)
  })
})

it('an access check that throws an error for clients answers with that error, ends the connection, and logs nothing', async () => {
  const checkAccess = () => {
    throw coreErrors.tokensUnreadable()
  }
  const answers = answersIn(await talk(await open({ checkAccess }), get(LIVEZ) + get(LIVEZ)))
  expect(answers.map(({ status }) => status)).toEqual([503])
  expect(errors).toEqual([])
})

it('ListenerPolicy.connectionsPerAddress closes connections above the limit of an address at once, and serves other addresses', async () => {
  const { address } = await listen(
    toy.service,
    { host: '127.0.0.1', port: 0 },
    { connectionsPerAddress: (from) => (from === '127.0.0.4' ? 0 : 2), checkAccess: () => ({ caller: CALLER }) },
  )
  const { port } = address
  const ask = (from: string) => dial(port, { localAddress: from })
  const [first, second] = [await ask('127.0.0.2'), await ask('127.0.0.2')]
  first.write(get(LIVEZ))
  await readUntil(first, 'success')
  for (const from of ['127.0.0.2', '127.0.0.4']) expect(await readToEnd(await ask(from))).toBe('')
  const other = await ask('127.0.0.3')
  other.write(get(LIVEZ))
  await readUntil(other, 'success')
  second.write(get(LIVEZ))
  await readUntil(second, 'success')
  // After closing a connection, the client may open another.
  const over = once(first, 'close')
  first.end()
  await over
  await expect
    .poll(async () => {
      const socket = await ask('127.0.0.2')
      const all = readToEnd(socket)
      socket.end(get(LIVEZ, END))
      return (await all).slice(0, 12)
    })
    .toBe('HTTP/1.1 200')
})

describe('OpenDoor.close', () => {
  it('finishes requests of this door, and leaves other doors open', async () => {
    const [door, other] = [await listen(toy.service, AT), await listen(toy.service, AT)]
    const { reading, finish } = heldReading(toy.slot)
    const [idle, busy, elsewhere] = [await dial(door.address.port), await dial(door.address.port), await dial(other.address.port)]
    idle.write(get(LIVEZ))
    await readUntil(idle, 'success')
    elsewhere.write(get(LIVEZ))
    await readUntil(elsewhere, 'success')
    const idleEnd = readToEnd(idle)
    const all = readToEnd(busy)
    busy.write(get('/api/toy/1.0/3/level'))
    await reading
    const closing = door.close()
    expect(await idleEnd).toBe('')
    await expect(dial(door.address.port)).rejects.toThrow('ECONNREFUSED')
    finish({ level: 5 })
    expect(answersIn(await all).map(({ status, headers }) => [status, headers['connection']])).toEqual([[200, 'close']])
    await closing
    expect((await toy.service.inject('/slotwire/readyz')).statusCode).toBe(200)
    const rest = readToEnd(elsewhere)
    elsewhere.write(get(LIVEZ, END))
    expect(answersIn(await rest).map(({ status }) => status)).toEqual([200])
  })

  it('refuses requests of this door that do not finish in time, and no others', async () => {
    const [door, other] = [await listen(toy.service, AT), await listen(toy.service, AT)]
    const { reading, finish } = heldReading(toy.slot)
    const [here, there] = [await dial(door.address.port), await dial(other.address.port)]
    const heards = [readToEnd(here), readToEnd(there)]
    here.write(get('/api/toy/1.0/3/level'))
    there.write(get('/api/toy/1.0/3/level', END))
    await reading
    await talk(other.address.port, get(LIVEZ, END))
    const closing = door.close()
    await toy.clock.advance(1350)
    expect(answersIn((await heards[0]) ?? '').map(({ status }) => status)).toEqual([503])
    await closing
    finish({ level: 5 })
    expect(answersIn((await heards[1]) ?? '').map(({ status }) => status)).toEqual([200])
  })

  it('closes a connection after the response to a request that was still arriving', async () => {
    const door = await listen(toy.service, AT)
    const socket = await dial(door.address.port)
    socket.write(get(LIVEZ) + get(LIVEZ).slice(0, 20))
    await readUntil(socket, 'success')
    const all = readToEnd(socket)
    const closing = door.close()
    socket.write(get(LIVEZ).slice(20))
    expect(answersIn(await all).map(({ status, headers }) => [status, headers['connection']])).toEqual([[200, 'close']])
    await closing
  })

  it('closes a connection after a response that was being sent', async () => {
    const begun: ServerResponse[] = []
    toy.service.routes.addOwn('state', (_request, response) => {
      response.writeHead(200, { 'content-length': 8 }).write('half')
      begun.push(response)
    })
    const door = await listen(toy.service, AT)
    const socket = await dial(door.address.port)
    socket.write(get('/slotwire/state'))
    await readUntil(socket, 'half')
    const all = readToEnd(socket)
    const closing = door.close()
    begun[0]?.end('done')
    expect(await all).toBe('done')
    await closing
  })

  it('can be called twice, and while the service closes', async () => {
    const door = await listen(toy.service, AT)
    await Promise.all([door.close(), door.close(), toy.service.close()])
    await expect(dial(door.address.port)).rejects.toThrow('ECONNREFUSED')
  })
})

it('a closed service opens no door', async () => {
  await toy.service.close()
  await expect(listen(toy.service, AT)).rejects.toThrow()
})
