import { describe, expect, it } from 'vitest'
import { answersIn, dial, readUntil, talk } from '../door/socket.testkit.ts'
import {
  FEED,
  forwardTo,
  head,
  httpService,
  NOTE,
  OK,
  PATH,
  post,
  rawService,
  scripted,
  type TestForwarder,
} from './forward.testkit.ts'

const statusOf = async (door: TestForwarder, bytes: string) => answersIn(await talk(door.port, bytes))[0]?.status

describe('record of a write', () => {
  const caller = { door: 'network', address: '192.0.2.7', readOnly: false, token: { id: 'a', name: 'line 3' } } as const

  it('contains caller, request, status and duration', async () => {
    const door = await forwardTo(
      await httpService((_request, response) => {
        door.clock.advance(12).then(
          () => response.writeHead(422).end('{}'),
          () => undefined,
        )
      }),
    )
    door.caller = caller
    await talk(door.port, post('{"level":1}', `${PATH}?a=b`))
    expect(door.writes).toEqual([
      { caller, method: 'POST', path: PATH, target: { service: 'toy' }, body: { level: 1 }, status: 422, durationMs: 12 },
    ])
  })

  it('is written for a GET with an effect, but not for reads and unknown methods', async () => {
    const door = await forwardTo(await scripted(OK))
    for (const line of [`GET ${PATH}`, `HEAD ${FEED}`, `GET ${NOTE}`, `PUT ${PATH}`]) await talk(door.port, head(line))
    expect(door.writes).toEqual([])
    await talk(door.port, head(`GET ${FEED}`))
    expect(door.writes).toEqual([
      { caller: undefined, method: 'GET', path: FEED, target: { service: 'toy' }, status: 200, durationMs: 0 },
    ])
  })

  it.each([
    ['no body', ''],
    ['invalid JSON', '{"level":'],
    ['more than 64 KiB', JSON.stringify('x'.repeat(65_536))],
  ])('omits the body for %s', async (_, body) => {
    const door = await forwardTo(await httpService((request, response) => request.resume().on('end', () => response.end('{}'))))
    await talk(door.port, post(body))
    expect(door.writes).toHaveLength(1)
    expect(door.writes[0]).not.toHaveProperty('body')
  })

  it('is written for a write whose response was lost or that was not sent', async () => {
    const door = await forwardTo(await scripted(''))
    await talk(door.port, post('{}'))
    door.upstreams['toy'] = 'nonsense'
    await talk(door.port, post('{}'))
    expect(door.writes.map(({ status }) => status)).toEqual([502, 502])
  })

  it('contains the status even if the client has gone', async () => {
    const service = await rawService(() => undefined)
    const door = await forwardTo(service)
    const client = await dial(door.port)
    client.write(post('{"level":1}'))
    await expect.poll(() => service.receivedOn(0)).toContain('{"level":1}')
    client.resetAndDestroy()
    await expect.poll(() => door.connections).toBe(0)
    expect(door.writes).toEqual([])
    service.connections[0]?.end('HTTP/1.1 500 Oh\r\nContent-Length: 2\r\n\r\n{}')
    await expect.poll(() => door.writes).toHaveLength(1)
    expect(door.writes[0]).toMatchObject({ body: { level: 1 }, status: 500 })
  })
})

describe('requests above the limit of a service', () => {
  it('are refused with 503 if they only read', async () => {
    const service = await rawService((socket, connection) => {
      if (connection >= 2) socket.once('data', () => socket.end(OK))
    })
    const door = await forwardTo(service, { readings: 2 })
    const clients = [await dial(door.port), await dial(door.port)]
    for (const client of clients) client.write(head(`GET ${PATH}`))
    await expect.poll(() => service.connections).toHaveLength(2)
    const [refused] = answersIn(await talk(door.port, head(`GET ${PATH}`)))
    expect(refused).toMatchObject({
      status: 503,
      headers: { 'retry-after': '1' },
      body: '{"status":"error","code":503,"message":"the service toy has 2 requests to answer already: try again later"}\n',
    })
    expect(await statusOf(door, post('{}'))).toBe(200)
    expect(await statusOf(door, head(`GET ${FEED}`))).toBe(200)
    for (const client of clients) client.resetAndDestroy()
    await expect.poll(() => statusOf(door, head(`GET ${PATH}`))).toBe(200)
  })
})

describe('Forwarder.close', () => {
  it('finishes running requests, refuses new ones, and closes kept connections', async () => {
    const service = await rawService(() => undefined)
    const door = await forwardTo(service)
    const client = await dial(door.port)
    client.write(head(`GET ${PATH}`))
    await expect.poll(() => service.receivedOn(0)).toContain('\r\n\r\n')
    let closed = false
    const closing = door.forwarder.close().then(() => {
      closed = true
    })
    expect(await statusOf(door, head(`GET ${PATH}`))).toBe(503)
    expect(closed).toBe(false)
    const answer = readUntil(client, '{}')
    service.connections[0]?.write(OK)
    expect(await answer).toMatch(/^HTTP\/1\.1 200/)
    await closing
    await expect.poll(() => service.connections[0]?.destroyed).toBe(true)
    expect(door.clock.pending).toBe(0)
  })

  it('refuses requests that take too long', async () => {
    const service = await rawService(() => undefined)
    const door = await forwardTo(service)
    const answer = talk(door.port, head(`GET ${PATH}`))
    await expect.poll(() => service.receivedOn(0)).toContain('\r\n\r\n')
    const closing = door.forwarder.close()
    await door.clock.advance(1300)
    await closing
    expect(answersIn(await answer)[0]).toMatchObject({ status: 503, headers: { 'retry-after': '1' } })
    await expect.poll(() => service.connections[0]?.destroyed).toBe(true)
  })
})
