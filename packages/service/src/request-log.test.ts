import { coreErrors, type Log } from '@slotwire/core'
import { type CheckAccess, listen } from '@slotwire/edge'
import { expect, it } from 'vitest'
import { dial, readToEnd, talk } from '../../edge/src/door/socket.testkit.ts'
import { createToy } from './toy.testkit.ts'

async function logged() {
  const lines: { level: string; fields: Record<string, unknown>; message: string }[] = []
  const write = (level: string) => (fields: object, message: string) => {
    lines.push({ level, fields: { ...fields }, message })
  }
  const log: Log = { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') }
  return { toy: await createToy({ log }), lines }
}

it('a write is logged with slot, status, duration and the reason of a refusal', async () => {
  const { toy, lines } = await logged()
  toy.slot.script = {
    FEED: async () => {
      await toy.clock.advance(12)
      return {}
    },
  }
  await toy.service.inject('/api/toy/1.0/3/feed')
  await toy.service.inject({
    method: 'POST',
    url: '/api/toy/1.0/3/level',
    headers: { 'content-type': 'application/json' },
    payload: '{}',
  })
  expect(lines).toEqual([
    { level: 'info', fields: { method: 'GET', path: '/api/toy/1.0/3/feed', slot: 3, status: 200, ms: 12 }, message: 'write' },
    {
      level: 'info',
      fields: {
        method: 'POST',
        path: '/api/toy/1.0/3/level',
        slot: 3,
        status: 422,
        ms: 0,
        refused: 'invalid-field',
      },
      message: 'write',
    },
  ])
})

it('a write that the end of the service refuses is logged with the reason', async () => {
  const { toy, lines } = await logged()
  toy.slot.script = {
    FEED: async () => {
      toy.service.context.running.refuseAll(coreErrors.stopping(), () => true)
      return {}
    },
  }
  await toy.service.inject('/api/toy/1.0/3/feed')
  expect(lines).toMatchObject([{ message: 'write', fields: { status: 503, refused: 'stopping' } }])
})

it('a read is not logged', async () => {
  const { toy, lines } = await logged()
  for (const path of ['level', 'level/cached', 'note/1', 'descriptor', 'nowhere'])
    await toy.service.inject(`/api/toy/1.0/3/${path}`)
  expect(lines).toEqual([])
})

it('a bug is logged with its stack', async () => {
  const { toy, lines } = await logged()
  const bug = new TypeError('a bug')
  toy.slot.script = { GET_LEVEL: bug }
  await toy.service.inject('/api/toy/1.0/3/level')
  expect(lines).toEqual([
    { level: 'error', fields: { method: 'GET', path: '/api/toy/1.0/3/level', err: bug }, message: expect.any(String) as string },
  ])
})

const HANDLED = ['info', 'error', 'info', 'error']
it.each([
  ['/api/toy/1.0/3/feed?token=secret', HANDLED],
  ['http://localhost/api/toy/1.0/3/feed?token=secret', HANDLED],
  ['http://token:secret@localhost/api/toy/1.0/3/feed?token=secret#secret', ['error']],
])('paths are logged without possible secrets: %s', async (target, levels) => {
  const { toy, lines } = await logged()
  const ask = async (checkAccess: CheckAccess): Promise<void> => {
    const { address } = await listen(toy.service, { host: '127.0.0.1', port: 0 }, { checkAccess })
    await talk(address.port, `GET ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`)
  }
  const allow = () => ({ caller: { door: 'network', address: '', readOnly: false } }) as const
  // One request succeeds, one fails in its handler, one in the access check.
  await ask(allow)
  toy.slot.script = { FEED: new TypeError('a bug') }
  await ask(allow)
  await ask(() => {
    throw new Error('a bug')
  })
  await toy.service.close()
  const path = '/api/toy/1.0/3/feed'
  expect(lines.map(({ level, fields }) => [level, fields['path']])).toEqual(levels.map((level) => [level, path]))
})

it.each([
  ['as the only request', '', 'end'],
  ['after another request', 'GET /slotwire/livez HTTP/1.1\r\nHost: localhost\r\n\r\n', 'end'],
  ['after a request without Host', 'GET /slotwire/livez HTTP/1.1\r\n\r\n', 'end'],
  [
    'after a request with Connection: close',
    'GET /slotwire/livez HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n',
    'end',
  ],
  ['as the only request, with a reset', '', 'resetAndDestroy'],
] as const)('an incomplete body is logged as a fault of the client, not of the service: %s', async (_, before, end) => {
  const { toy, lines } = await logged()
  const { address } = await listen(toy.service, { host: '127.0.0.1', port: 0 })
  const socket = await dial(address.port)
  const over = readToEnd(socket)
  const head =
    'POST /api/toy/1.0/3/level HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 11\r\n\r\n'
  socket.write(`${before}${head}{"le`)
  socket[end]()
  await over
  await toy.service.close()
  expect(lines.filter(({ level, fields }) => level === 'error' || fields['status'] === 500)).toEqual([])
})
