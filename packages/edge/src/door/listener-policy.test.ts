import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { coreErrors, silentLog } from '@slotwire/core'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createToy, heldReading, type Toy, toyContract } from '../../../service/src/toy.testkit.ts'
import { listen } from '../listen.ts'
import type { CheckAccess, ListenerPolicy } from './listener-policy.ts'
import { answersIn, dial, heard, heardUntil, talk } from './socket.testkit.ts'

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

describe('who is not let in', () => {
  it('gets the answer whatever the path, and keeps the connection', async () => {
    const port = await open(closed())
    const answers = answersIn(await talk(port, get('/') + get('/nowhere') + get('/api/toy/1.0/3/level', END)))
    expect(answers.map(({ status, body }) => [status, body])).toEqual(Array(3).fill([401, REFUSAL.body]))
    expect(answers.map(({ headers }) => headers['connection'])).toEqual(['keep-alive', 'keep-alive', 'close'])
    expect(answers[0]?.headers['www-authenticate']).toBe('Basic realm="toy"')
    expect(toy.slot.reads).toEqual([])
  })

  it('gets no body for a HEAD', async () => {
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
  ])('loses the connection when a body comes along, and nothing behind it is begun: %s', async (_, rest) => {
    const checkAccess: CheckAccess = ({ method }) => (method === 'POST' ? { answer: REFUSAL } : { caller: CALLER })
    const port = await open({ checkAccess })
    const head = 'POST /api/toy/1.0/3/level HTTP/1.1\r\nHost: localhost\r\n'
    const answers = answersIn(await talk(port, `${head}${rest}`, get('/api/toy/1.0/3/feed')))
    expect(answers.map(({ status, headers }) => [status, headers['connection']])).toEqual([[401, 'close']])
    expect(toy.slot.sent).toEqual([])
  })

  it('hears the answer also when it sends megabytes before it listens', async () => {
    const socket = await dial(await open(closed()))
    socket.pause()
    socket.write('POST /api/toy/1.0/3/level HTTP/1.1\r\nHost: localhost\r\nContent-Length: 8000000\r\n\r\n')
    await new Promise<void>((resolve, reject) => {
      socket.write(Buffer.alloc(8_000_000), (error) => (error ? reject(error) : resolve()))
    })
    const all = heard(socket)
    socket.resume()
    expect(answersIn(await all).map(({ status }) => status)).toEqual([401])
  })

  it('is cut off when it does not end', async () => {
    const socket = await dial(await open(closed()))
    socket.allowHalfOpen = true
    socket.write('POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 8\r\n\r\n')
    await heardUntil(socket, REFUSAL.body)
    await expect.poll(() => toy.clock.pending).toBe(1)
    await toy.clock.advance(1000)
    // A door closes when its last connection has ended.
    await toy.service.close()
    socket.destroy()
  })

  it('gets 500 when its access check fails, and the next is served', async () => {
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

describe('an access check that throws an error for clients', () => {
  it('answers with that error, ends the connection, and logs nothing', async () => {
    const checkAccess = () => {
      throw coreErrors.tokensUnreadable()
    }
    const answers = answersIn(await talk(await open({ checkAccess }), get(LIVEZ) + get(LIVEZ)))
    expect(answers.map(({ status }) => status)).toEqual([503])
    expect(errors).toEqual([])
  })
})

describe('forward', () => {
  const forward = (request: IncomingMessage, response: ServerResponse): boolean => {
    if (request.url?.startsWith('/elsewhere') !== true) return false
    response.writeHead(200, { 'content-length': 4 }).end('away')
    return true
  }

  it('takes over what it wants, and leaves the rest', async () => {
    const port = await open({ forward })
    const answers = answersIn(await talk(port, get('/elsewhere') + get('/api/toy/1.0/3/level', END)))
    expect(answers.map(({ status, body }) => [status, body])).toEqual([
      [200, 'away'],
      [200, '{"level":7}'],
    ])
  })

  it('is asked only about those who are let in', async () => {
    const port = await open({ ...closed(), forward })
    expect(answersIn(await talk(port, get('/elsewhere', END))).map(({ status }) => status)).toEqual([401])
  })

  it('gets no request with an effect of a read-only caller', async () => {
    const port = await open({ checkAccess: () => ({ caller: { ...CALLER, readOnly: true } }), forward })
    const post = `POST /elsewhere HTTP/1.1\r\nHost: localhost\r\n${END}\r\n`
    expect(answersIn(await talk(port, post)).map(({ status }) => status)).toEqual([403])
  })

  it('gets 500 for what it throws at', async () => {
    const port = await open({
      forward: () => {
        throw new Error('a bug')
      },
    })
    expect(answersIn(await talk(port, get('/', END))).map(({ status }) => status)).toEqual([500])
    expect(errors).toHaveLength(1)
  })
})

describe('connectionsPerAddress', () => {
  it('closes at once what one address has too much, and serves the rest of the world', async () => {
    const { address } = await listen(
      toy.service,
      { host: '127.0.0.1', port: 0 },
      { connectionsPerAddress: 2, checkAccess: () => ({ caller: CALLER }) },
    )
    const { port } = address
    const ask = (from: string) => dial(port, { localAddress: from })
    const [first, second] = [await ask('127.0.0.2'), await ask('127.0.0.2')]
    first.write(get(LIVEZ))
    await heardUntil(first, 'success')
    expect(await heard(await ask('127.0.0.2'))).toBe('')
    const other = await ask('127.0.0.3')
    other.write(get(LIVEZ))
    await heardUntil(other, 'success')
    second.write(get(LIVEZ))
    await heardUntil(second, 'success')
    // Who has closed one may open another.
    const over = once(first, 'close')
    first.end()
    await over
    await expect
      .poll(async () => {
        const socket = await ask('127.0.0.2')
        const all = heard(socket)
        socket.end(get(LIVEZ, END))
        return (await all).slice(0, 12)
      })
      .toBe('HTTP/1.1 200')
  })
})

describe('connectionsPerAddress, asked at each connection', () => {
  it('lets one address have more than another', async () => {
    const { address } = await listen(
      toy.service,
      { host: '127.0.0.1', port: 0 },
      { connectionsPerAddress: (from) => (from === '127.0.0.2' ? 2 : 0), checkAccess: () => ({ caller: CALLER }) },
    )
    const ask = (from: string) => dial(address.port, { localAddress: from })
    const [first, second] = [await ask('127.0.0.2'), await ask('127.0.0.2')]
    for (const socket of [first, second]) {
      socket.write(get(LIVEZ))
      await heardUntil(socket, 'success')
    }
    expect(await heard(await ask('127.0.0.3'))).toBe('')
  })
})

describe('closing one door', () => {
  it('finishes what runs there, and leaves the others open', async () => {
    const [door, other] = [await listen(toy.service, AT), await listen(toy.service, AT)]
    const { reading, finish } = heldReading(toy.slot)
    const [idle, busy, elsewhere] = [await dial(door.address.port), await dial(door.address.port), await dial(other.address.port)]
    idle.write(get(LIVEZ))
    await heardUntil(idle, 'success')
    elsewhere.write(get(LIVEZ))
    await heardUntil(elsewhere, 'success')
    const idleEnd = heard(idle)
    const all = heard(busy)
    busy.write(get('/api/toy/1.0/3/level'))
    await reading
    const closing = door.close()
    expect(await idleEnd).toBe('')
    await expect(dial(door.address.port)).rejects.toThrow('ECONNREFUSED')
    finish({ level: 5 })
    expect(answersIn(await all).map(({ status, headers }) => [status, headers['connection']])).toEqual([[200, 'close']])
    await closing
    expect((await toy.service.inject('/slotwire/readyz')).statusCode).toBe(200)
    const rest = heard(elsewhere)
    elsewhere.write(get(LIVEZ, END))
    expect(answersIn(await rest).map(({ status }) => status)).toEqual([200])
  })

  it('refuses, in time, what runs there and does not finish, and nothing else', async () => {
    const [door, other] = [await listen(toy.service, AT), await listen(toy.service, AT)]
    const { reading, finish } = heldReading(toy.slot)
    const [here, there] = [await dial(door.address.port), await dial(other.address.port)]
    const heards = [heard(here), heard(there)]
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

  it('ends a connection with the answer to a request that was still arriving', async () => {
    const door = await listen(toy.service, AT)
    const socket = await dial(door.address.port)
    socket.write(get(LIVEZ) + get(LIVEZ).slice(0, 20))
    await heardUntil(socket, 'success')
    const all = heard(socket)
    const closing = door.close()
    socket.write(get(LIVEZ).slice(20))
    expect(answersIn(await all).map(({ status, headers }) => [status, headers['connection']])).toEqual([[200, 'close']])
    await closing
  })

  it('ends a connection with an answer that was going out already', async () => {
    const begun: ServerResponse[] = []
    const forward = (_request: IncomingMessage, response: ServerResponse): boolean => {
      response.writeHead(200, { 'content-length': 8 }).write('half')
      return begun.push(response) > 0
    }
    const door = await listen(toy.service, AT, { forward })
    const socket = await dial(door.address.port)
    socket.write(get('/'))
    await heardUntil(socket, 'half')
    const all = heard(socket)
    const closing = door.close()
    begun[0]?.end('done')
    expect(await all).toBe('done')
    await closing
  })

  it('can be asked for twice, and of a service that closes', async () => {
    const door = await listen(toy.service, AT)
    await Promise.all([door.close(), door.close(), toy.service.close()])
    await expect(dial(door.address.port)).rejects.toThrow('ECONNREFUSED')
  })
})

it('a service that has been closed opens no door', async () => {
  await toy.service.close()
  await expect(listen(toy.service, AT)).rejects.toThrow()
})

it('the API document shows the contracts of what is forwarded, too', async () => {
  const other = { ...toyContract, service: 'other', serviceName: 'other-module' }
  const documenting = await createToy({ documented: [other] })
  const { paths } = (await documenting.service.inject('/slotwire/openapi.json')).json<{ paths: object }>()
  expect(Object.keys(paths)).toEqual(expect.arrayContaining(['/api/toy/1.0/{slot}/level', '/api/other/1.0/{slot}/level']))
  expect((await documenting.service.inject('/api/other/1.0/')).statusCode).toBe(404)
})
