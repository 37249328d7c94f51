import { once } from 'node:events'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { ManualClock } from '@slotwire/core'
import { afterEach, expect, it } from 'vitest'
import { nodeWire } from './wire.ts'

let server: Server | undefined
afterEach(() => server?.close())

/** The address of a server that answers each request with its first line, or stays silent. */
async function addressOf({ isSilent = false } = {}): Promise<string> {
  server = createServer((socket) => {
    socket.once('data', (bytes) => {
      const [line = ''] = bytes.toString('latin1').split('\r\n')
      if (!isSilent) socket.end(`HTTP/1.1 200 OK\r\nContent-Length: ${line.length}\r\n\r\n${line}`)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

it.each([
  ['', '/api/io/'],
  ['/', '/api/io/'],
  ['/devices/7/', '/devices/7/api/io/'],
])('sends requests and raw bytes below the path of the address: "%s"', async (path, target) => {
  const { request, raw } = nodeWire({ url: (await addressOf()) + path }, new ManualClock())
  expect((await request({ method: 'GET', path: '/api/io/', headers: {} })).text).toBe(`GET ${target} HTTP/1.1`)
  expect(await raw('POST /api/io/ HTTP/1.1\r\n\r\n')).toMatch(new RegExp(`\\r\\nPOST ${target} HTTP/1\\.1$`))
  expect(await raw('NONSENSE\r\n\r\n')).toMatch(/\r\nNONSENSE$/)
})

it('takes a server that stays silent after raw bytes for one that does not answer', async () => {
  const clock = new ManualClock()
  const { raw } = nodeWire({ url: await addressOf({ isSilent: true }) }, clock)
  const answer = raw('NONSENSE\r\n\r\n')
  await clock.advance(5000)
  expect(await answer).toBe('')
})
