import { createServer, Server } from 'node:net'
import { ManualClock } from '@slotwire/core'
import { afterEach, expect, it, vi } from 'vitest'
import { RecordingLog } from '../../../driver/src/rack/recording-log.testkit.ts'
import { createToy } from '../../../service/src/toy.testkit.ts'
import { listen } from './door.ts'
import { surviveAcceptErrors } from './door-server.ts'
import { answersIn, dial, talk } from './socket.testkit.ts'

const ASK = 'GET /slotwire/livez HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n'
const failure = (code: string): Error => Object.assign(new Error(`accept ${code}`), { code, syscall: 'accept' })

afterEach(() => vi.restoreAllMocks())

it.each(['ENOBUFS', 'ENOMEM', 'EMFILE', 'ECONNABORTED'])(
  'a door continues to serve after accept failed with %s',
  async (code) => {
    const listening = vi.spyOn(Server.prototype, 'listen')
    const log = new RecordingLog()
    const toy = await createToy({ log })
    const { port } = (await listen(toy.service, { host: '127.0.0.1', port: 0 })).address
    const server: unknown = listening.mock.contexts[0]
    if (!(server instanceof Server)) throw new Error('no server listens')
    const error = failure(code)
    server.emit('error', error)
    expect(log.linesOf('error')).toMatchObject([{ fields: { err: error, failures: 1 } }])
    expect(answersIn(await talk(port, ASK)).map(({ status }) => status)).toEqual([200])
    await toy.service.close()
  },
)

it('a door that cannot be opened rejects and logs nothing', async () => {
  const log = new RecordingLog()
  const toy = await createToy({ log })
  const { port } = (await listen(toy.service, { host: '127.0.0.1', port: 0 })).address
  await expect(listen(toy.service, { host: '127.0.0.1', port })).rejects.toThrow('EADDRINUSE')
  expect(log.linesOf('error')).toEqual([])
  await toy.service.close()
})

it('many accept errors cause one log line every ten seconds, with their number', async () => {
  const server = createServer()
  const clock = new ManualClock()
  const log = new RecordingLog()
  surviveAcceptErrors(server, { clock, log })
  const error = failure('ENOBUFS')
  const storm = (times: number): void => {
    for (let time = 0; time < times; time++) server.emit('error', error)
  }
  storm(1000)
  await clock.advance(9999)
  storm(1000)
  expect(log.linesOf('error')).toMatchObject([{ fields: { err: error, failures: 1 } }])
  await clock.advance(1)
  storm(3)
  expect(log.lines.slice(1)).toMatchObject([{ fields: { err: error, failures: 2000 } }])
})

it('the doors of a service share the limit of connections, and accept another one after one has closed', async () => {
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
