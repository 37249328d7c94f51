import { describe, expect, it } from 'vitest'
import { answersIn, dial, readToEnd } from '../door/socket.testkit.ts'
import { FEED, forwardTo, head, httpService, OK, PATH, rawService } from './forward.testkit.ts'

const KEEP = ''
const write = (level: number, last = false): string => {
  const body = `{"level":${level}}`
  return `${head(`POST ${PATH}`, `Content-Length: ${body.length}\r\n${last ? 'Connection: close\r\n' : KEEP}`)}${body}`
}

describe('pipelined requests of a client', () => {
  it('reach the service in order, one at a time, on one connection', async () => {
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
    const door = await forwardTo(service)
    const client = await dial(door.port)
    const all = readToEnd(client)
    const count = 50
    client.write(Array.from({ length: count }, (_, level) => write(level, level === count - 1)).join(''))
    expect(answersIn(await all).map(({ status }) => status)).toEqual(Array<number>(count).fill(200))
    expect(levels).toEqual(Array.from({ length: count }, (_, level) => level))
    expect(most).toBe(1)
    expect(door.writes).toHaveLength(count)
  })

  it('are refused with 503 above a limit, in order', async () => {
    const service = await rawService(() => undefined)
    const door = await forwardTo(service, { pipelined: 3 })
    const client = await dial(door.port)
    client.write(Array.from({ length: 6 }, (_, level) => write(level)).join(''))
    await expect.poll(() => door.writes.length).toBe(0)
    await expect.poll(() => service.connections).toHaveLength(1)
    const all = readToEnd(client)
    // Responses keep the order of the requests: first those that were accepted.
    for (let index = 0; index < 4; index++) {
      await expect.poll(() => service.receivedOn(index)).toContain(`"level":${index}`)
      service.connections[index]?.end(OK)
    }
    client.end()
    expect(answersIn(await all).map(({ status }) => status)).toEqual([200, 200, 200, 200, 503, 503])
  })

  it('are not forwarded after the client has gone', async () => {
    const service = await rawService(() => undefined)
    const door = await forwardTo(service)
    const client = await dial(door.port)
    client.write(write(0) + write(1) + write(2))
    await expect.poll(() => service.receivedOn(0)).toContain('"level":0')
    client.resetAndDestroy()
    await expect.poll(() => door.connections).toBe(0)
    service.connections[0]?.end(OK)
    await expect.poll(() => door.writes).toHaveLength(1)
    await door.forwarder.close()
    expect(service.connections).toHaveLength(1)
  })

  it('are all refused if they cannot finish while closing', async () => {
    const service = await rawService(() => undefined)
    const door = await forwardTo(service, { closeMs: 100 })
    const client = await dial(door.port)
    const all = readToEnd(client)
    client.write(write(0) + write(1) + write(2, true))
    await expect.poll(() => service.receivedOn(0)).toContain('"level":0')
    const closing = door.forwarder.close()
    await door.clock.advance(100)
    await closing
    expect(answersIn(await all).map(({ status }) => status)).toEqual([503, 503, 503])
    expect(service.connections).toHaveLength(1)
  })
})

describe('a read-only caller', () => {
  it('cannot send requests with an effect, even if the service ignores read-only', async () => {
    const service = await httpService((_request, response) => response.writeHead(200, { 'content-length': 2 }).end('{}'))
    const door = await forwardTo(service)
    door.caller = { door: 'network', address: '10.0.0.9', token: { id: 'a', name: 'reader' }, readOnly: true }
    const ask = async (path: string) => {
      const client = await dial(door.port)
      const all = readToEnd(client)
      client.write(head(`GET ${path}`))
      return answersIn(await all).map(({ status }) => status)
    }
    expect(await ask(FEED)).toEqual([403])
    expect(await ask(PATH)).toEqual([200])
    expect(door.writes).toMatchObject([{ status: 403, path: FEED }])
  })
})
