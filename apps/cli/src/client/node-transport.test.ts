import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { connect } from '../client.ts'
import { tlsServer } from './client-server.testkit.ts'
import { nodeTransport } from './node-transport.ts'

/** A server that sends these bytes to every request, and then closes, or not. */
async function answering(bytes: string, ends = true): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.once('data', () => (ends ? socket.end(bytes, 'latin1') : socket.write(bytes, 'latin1')))
    onTestFinished(() => {
      socket.destroy()
    })
  }).listen(0, '127.0.0.1')
  onTestFinished(() => {
    server.close()
  })
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const get = (url: string, ca?: string, signal: AbortSignal = new AbortController().signal) =>
  nodeTransport(url, ca)('/', { method: 'GET', headers: {}, signal })

const UPGRADE = 'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'

describe('nodeTransport', () => {
  it.each([
    ['a status below those of answers', UPGRADE, 'status 101'],
    ['a status above those of answers', 'HTTP/1.1 999 Odd\r\ncontent-length: 2\r\n\r\nhi', 'status 999'],
    ['bytes that are not HTTP', 'not http at all\r\n\r\n', 'Parse Error'],
    ['nothing', '', 'socket hang up'],
    ['half a body', 'HTTP/1.1 200 OK\r\ncontent-length: 20\r\n\r\nhi', 'aborted'],
    ['half a chunk', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhi', 'aborted'],
  ])('rejects when the server sends %s', async (_, bytes, message) => {
    const text = get(await answering(bytes)).then((response) => response.text())
    await expect(text).rejects.toThrow(message)
  })

  it.each([
    ['status 999', 'HTTP/1.1 999 Odd\r\ncontent-length: 2\r\n\r\nhi'],
    ['another protocol', UPGRADE],
  ])('lets a call end with a typed error within its deadline: %s', async (_, bytes) => {
    const connecting = connect(await answering(bytes, false), { deadlineMs: 50 })
    await expect(connecting).rejects.toMatchObject({ name: 'ClientError', kind: 'unreachable' })
  })

  it('lets connect reject, not throw, for an address that cannot be used', async () => {
    const connecting = connect('nowhere')
    await expect(connecting).rejects.toMatchObject({ kind: 'invalid' })
  })

  it('ends a body that does not come with its signal', async () => {
    const controller = new AbortController()
    const url = await answering('HTTP/1.1 200 OK\r\ncontent-length: 20\r\n\r\nhi', false)
    const response = await get(url, undefined, controller.signal)
    const text = response.text()
    controller.abort()
    await expect(text).rejects.toThrow()
  })

  it('trusts only the given authority, and only with the name of the server', async () => {
    const [device, other] = [await tlsServer(), await tlsServer({ hosts: ['press-4.local'], addresses: [] })]
    expect((await get(device.url, device.authority)).status).toBe(200)
    await expect(get(device.url, other.authority)).rejects.toThrow(/certificate/)
    await expect(get(device.url)).rejects.toThrow(/certificate/)
    await expect(get(other.url, other.authority)).rejects.toThrow(/does not match/)
    await expect(connect(device.url, { ca: other.authority })).rejects.toMatchObject({
      message: expect.stringContaining('give its CA as the option ca') as string,
      canRetry: false,
    })
  })
})
