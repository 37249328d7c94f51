import { createServer, Server } from 'node:net'
import { type Log, ManualClock, silentLog } from '@slotwire/core'
import { afterEach, expect, it, vi } from 'vitest'
import { createToy } from '../../../service/src/toy.testkit.ts'
import { listen } from './door.ts'
import { surviveAcceptErrors } from './door-server.ts'
import { answersIn, dial, talk } from './socket.testkit.ts'

const ASK = 'GET /slotwire/livez HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n'
const failure = (code: string): Error => Object.assign(new Error(`accept ${code}`), { code, syscall: 'accept' })

afterEach(() => vi.restoreAllMocks())

function recordingLog(): { readonly log: Log; readonly lines: object[] } {
  const lines: object[] = []
  return { lines, log: { ...silentLog, error: (fields) => lines.push(fields) } }
}

it.each(['ENOBUFS', 'ENOMEM', 'EMFILE', 'ECONNABORTED'])(
  'a door continues to serve after accept failed with %s',
  async (code) => {
    const listening = vi.spyOn(Server.prototype, 'listen')
    const { log, lines } = recordingLog()
    const toy = await createToy({ log })
    const { port } = (await listen(toy.service, { host: '127.0.0.1', port: 0 })).address
    const server: unknown = listening.mock.contexts[0]
    if (!(server instanceof Server)) throw new Error('no server listens')
    const error = failure(code)
    server.emit('error', error)
    expect(lines).toEqual([{ err: error, failures: 1 }])
    expect(answersIn(await talk(port, ASK)).map(({ status }) => status)).toEqual([200])
    await toy.service.close()
  },
)

it('a door that cannot be opened rejects and logs nothing', async () => {
  const { log, lines } = recordingLog()
  const toy = await createToy({ log })
  const { port } = (await listen(toy.service, { host: '127.0.0.1', port: 0 })).address
  await expect(listen(toy.service, { host: '127.0.0.1', port })).rejects.toThrow('EADDRINUSE')
  expect(lines).toEqual([])
  await toy.service.close()
})

it('many accept errors cause one log line every ten seconds, with their number', async () => {
  const server = createServer()
  const clock = new ManualClock()
  const { log, lines } = recordingLog()
  surviveAcceptErrors(server, { clock, log })
  const error = failure('ENOBUFS')
  const storm = (times: number): void => {
    for (let time = 0; time < times; time++) server.emit('error', error)
  }
  storm(1000)
  await clock.advance(9999)
  storm(1000)
  expect(lines).toEqual([{ err: error, failures: 1 }])
  await clock.advance(1)
  storm(3)
  expect(lines.slice(1)).toEqual([{ err: error, failures: 2000 }])
})

it('the doors of a service share the limit of connections', async () => {
  const toy = await createToy({ limits: { connections: 2 } })
  const [one, other] = await Promise.all(
    [1, 2].map(async () => (await listen(toy.service, { host: '127.0.0.1', port: 0 })).address.port),
  )
  const [first] = [await dial(one as number), await dial(other as number)]
  expect([await talk(one as number, ASK), await talk(other as number, ASK)]).toEqual(['', ''])
  first.destroy()
  await expect.poll(() => talk(other as number, ASK)).toMatch(/^HTTP\/1\.1 200/)
  await toy.service.close()
})

it('a door accepts connections up to its limit, and another one after one has closed', async () => {
  const toy = await createToy({ limits: { connections: 2 } })
  const { port } = (await listen(toy.service, { host: '127.0.0.1', port: 0 })).address
  const [first] = [await dial(port), await dial(port)]
  expect(await talk(port, ASK)).toBe('')
  first.destroy()
  await expect.poll(() => talk(port, ASK)).toMatch(/^HTTP\/1\.1 200/)
  await toy.service.close()
})
