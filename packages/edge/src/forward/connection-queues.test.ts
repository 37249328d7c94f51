import { describe, expect, it } from 'vitest'
import { answersIn, dial, heard } from '../door/socket.testkit.ts'
import { FEED, frontOf, head, httpService, OK, PATH, rawService } from './forward.testkit.ts'

const KEEP = ''
const write = (level: number, last = false): string => {
  const body = `{"level":${level}}`
  return `${head(`POST ${PATH}`, `Content-Length: ${body.length}\r\n${last ? 'Connection: close\r\n' : KEEP}`)}${body}`
}

describe('what one client sends without waiting for answers', () => {
  it('reaches the service in its order, one at a time, on one connection at most', async () => {
    const levels: number[] = []
    let atOnce = 0
    let most = 0
    const service = await httpService((request, response) => {
      most = Math.max(most, ++atOnce)
      let text = ''
      request.on('data', (part) => (text += String(part)))
      request.on('end', () => {
        levels.push((JSON.parse(text) as { level: number }).level)
        atOnce--
        response.writeHead(200, { 'content-length': 2 }).end('{}')
      })
    })
    const door = await frontOf(service)
    const client = await dial(door.port)
    const all = heard(client)
    const count = 50
    client.write(Array.from({ length: count }, (_, level) => write(level, level === count - 1)).join(''))
    expect(answersIn(await all).map(({ status }) => status)).toEqual(Array<number>(count).fill(200))
    expect(levels).toEqual(Array.from({ length: count }, (_, level) => level))
    expect(most).toBe(1)
    expect(door.writes).toHaveLength(count)
  })

  it('is bounded: beyond that each is refused with 503, in its place', async () => {
    const service = await rawService(() => undefined)
    const door = await frontOf(service, { pipelined: 3 })
    const client = await dial(door.port)
    client.write(Array.from({ length: 6 }, (_, level) => write(level)).join(''))
    await expect.poll(() => door.writes.length).toBe(0)
    await expect.poll(() => service.connections).toHaveLength(1)
    const all = heard(client)
    // The answers come in the order of the requests: first those that are waited for.
    for (let index = 0; index < 4; index++) {
      await expect.poll(() => service.heardOn(index)).toContain(`"level":${index}`)
      service.connections[index]?.end(OK)
    }
    client.end()
    expect(answersIn(await all).map(({ status }) => status)).toEqual([200, 200, 200, 200, 503, 503])
  })

  it('is not sent on any more when the client is gone', async () => {
    const service = await rawService(() => undefined)
    const door = await frontOf(service)
    const client = await dial(door.port)
    client.write(write(0) + write(1) + write(2))
    await expect.poll(() => service.heardOn(0)).toContain('"level":0')
    client.resetAndDestroy()
    await expect.poll(() => door.connections).toBe(0)
    service.connections[0]?.end(OK)
    await expect.poll(() => door.writes).toHaveLength(1)
    await door.forwarder.close()
    expect(service.connections).toHaveLength(1)
  })

  it('is refused as a whole when closing leaves it no time', async () => {
    const service = await rawService(() => undefined)
    const door = await frontOf(service, { closeMs: 100 })
    const client = await dial(door.port)
    const all = heard(client)
    client.write(write(0) + write(1) + write(2, true))
    await expect.poll(() => service.heardOn(0)).toContain('"level":0')
    const closing = door.forwarder.close()
    await door.clock.advance(100)
    await closing
    expect(answersIn(await all).map(({ status }) => status)).toEqual([503, 503, 503])
    expect(service.connections).toHaveLength(1)
  })
})

describe('a read-only caller', () => {
  it('is refused here what has an effect: the service may not know what read-only means', async () => {
    const service = await httpService((_request, response) => response.writeHead(200, { 'content-length': 2 }).end('{}'))
    const door = await frontOf(service)
    door.caller = { door: 'network', address: '10.0.0.9', token: { id: 'a', name: 'reader' }, readOnly: true }
    const ask = async (path: string) => {
      const client = await dial(door.port)
      const all = heard(client)
      client.write(head(`GET ${path}`))
      return answersIn(await all).map(({ status }) => status)
    }
    expect(await ask(FEED)).toEqual([403])
    expect(await ask(PATH)).toEqual([200])
    expect(door.writes).toMatchObject([{ status: 403, path: FEED }])
  })
})
