import { type ListenerPolicy, listen } from '@slotwire/edge'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { answersIn, talk } from '../../edge/src/door/socket.testkit.ts'
import type { Caller } from './pipeline/request.ts'
import type { WriteRecord } from './pipeline/write-records.ts'
import { createToy, type Toy } from './toy.testkit.ts'

const BASE = '/api/toy/1.0/3'
const READ_ONLY = { door: 'network', address: '192.0.2.7', token: { id: '7', name: 'wall' }, readOnly: true } as const
const FULL = { ...READ_ONLY, readOnly: false } as const
let toy: Toy
let writes: WriteRecord[] = []

beforeEach(async () => {
  writes = []
  toy = await createToy({ onWrite: (record) => writes.push(record) })
})

afterEach(() => toy.service.close())

const open = async (policy: ListenerPolicy) => (await listen(toy.service, { host: '127.0.0.1', port: 0 }, policy)).address.port
const openFor = (caller: Caller) => open({ checkAccess: () => ({ caller }) })

async function ask(port: number, method: string, path: string, lines: readonly string[] = [], body?: string) {
  const typed = body === undefined ? [] : ['Content-Type: application/json', `Content-Length: ${body.length}`]
  const head = [`${method} ${path} HTTP/1.1`, 'Host: localhost', ...lines, ...typed, 'Connection: close', '', body ?? '']
  const [answer] = answersIn(await talk(port, head.join('\r\n')))
  const { message } = JSON.parse(answer?.body ?? '') as { message?: string }
  return { status: answer?.status, message, body: answer?.body }
}

const REFUSED = { status: 403, message: expect.stringContaining('this access is read-only') as string }

describe('a read-only caller', () => {
  it.each([
    ['POST', `${BASE}/level`],
    ['POST', `${BASE}/reset`],
    ['POST', `${BASE}/descriptor`],
    ['POST', '/nowhere'],
    ['POST', '/api/toy/1.0/99/level'],
    ['PUT', `${BASE}/level`],
    ['PATCH', `${BASE}/level`],
    ['DELETE', '/'],
    ['TRACE', `${BASE}/level`],
    ['GET', `${BASE}/feed`],
    ['GET', `${BASE}/feed/`],
    ['GET', '/api/toy/1.0/99/feed'],
  ])('gets 403 on %s %s', async (method, path) => {
    const port = await openFor(READ_ONLY)
    expect(await ask(port, method, path, [], method === 'POST' ? '{"level":1}' : undefined)).toMatchObject(REFUSED)
    expect(toy.slot.sent).toEqual([])
    expect(toy.slot.resets).toBe(0)
  })

  it('gets 403 for a GET with an effect even while the device restarts', async () => {
    const port = await openFor(READ_ONLY)
    toy.device.state = 'restarting'
    expect(await ask(port, 'GET', `${BASE}/feed`)).toMatchObject(REFUSED)
  })

  it('may read everything', async () => {
    const port = await openFor(READ_ONLY)
    for (const path of [
      `${BASE}/level`,
      `${BASE}/level/cached`,
      `${BASE}/descriptor`,
      '/api/toy/',
      '/slotwire/livez',
      `${BASE}/note/1`,
    ])
      expect(await ask(port, 'GET', path)).toMatchObject({ status: 200 })
    expect(await ask(port, 'OPTIONS', `${BASE}/level`)).toMatchObject({ status: 405 })
  })

  it('sees notifications without clearing them', async () => {
    const [reading, taking] = [await openFor(READ_ONLY), await openFor(FULL)]
    toy.slot.notifications.merge(Uint8Array.of(0b11))
    const note = async (port: number, item: number) => (await ask(port, 'GET', `${BASE}/note/${item}`)).body
    for (let times = 0; times < 3; times++) expect(await note(reading, 1)).toBe('{"rung":true}\n')
    expect(await note(taking, 1)).toBe('{"rung":true}\n')
    expect(await note(reading, 1)).toBe('{"rung":false}\n')
    expect(await note(reading, 2)).toBe('{"rung":true}\n')
  })
})

describe('Slotwire-Access', () => {
  it.each(['read-only', 'Read-Only', 'READONLY', 'write', 'full, read-only'])(
    'makes every caller read-only with the text %s, even if misspelt',
    async (access) => {
      const header = [`Slotwire-Access: ${access}`]
      for (const port of [await openFor(FULL), await open({})]) {
        expect(await ask(port, 'POST', `${BASE}/level`, header, '{"level":1}')).toMatchObject(REFUSED)
        expect(await ask(port, 'GET', `${BASE}/feed`, header)).toMatchObject(REFUSED)
        expect(await ask(port, 'GET', `${BASE}/level`, header)).toMatchObject({ status: 200 })
      }
      expect(toy.slot.sent.map(({ command }) => command)).toEqual(['GET_LEVEL', 'GET_LEVEL'])
    },
  )

  it('leaves notifications pending', async () => {
    const port = await open({})
    toy.slot.notifications.merge(Uint8Array.of(1))
    expect((await ask(port, 'GET', `${BASE}/note/1`, ['Slotwire-Access: read-only'])).body).toBe('{"rung":true}\n')
    expect(toy.slot.notifications.has(1)).toBe(true)
  })

  it('neither grants nor removes rights if it is empty', async () => {
    expect(await ask(await openFor(READ_ONLY), 'POST', `${BASE}/level`, ['Slotwire-Access:'], '{"level":1}')).toMatchObject(
      REFUSED,
    )
    expect(await ask(await openFor(FULL), 'POST', `${BASE}/level`, ['Slotwire-Access:'], '{"level":1}')).toMatchObject({
      status: 200,
    })
  })
})

describe('onWrite', () => {
  const post = (port: number, body: string, path = `${BASE}/level`, lines: readonly string[] = []) =>
    ask(port, 'POST', path, lines, body)

  it('gets caller, path, body, status and duration', async () => {
    const port = await openFor(FULL)
    toy.slot.script = {
      SET_LEVEL: async () => {
        await toy.clock.advance(12)
        return {}
      },
      FEED: {},
    }
    await post(port, '{"level":1}', `${BASE}/level?a=b`)
    await ask(port, 'GET', `${BASE}/feed`)
    const target = { service: 'toy', slot: 3, session: toy.slot.session }
    const [level, feed] = ['setLevel', 'feed'].map((endpoint) => ({ caller: FULL, status: 200, target: { ...target, endpoint } }))
    expect(writes).toEqual([
      { ...level, method: 'POST', path: `${BASE}/level`, body: { level: 1 }, durationMs: 12 },
      { ...feed, method: 'GET', path: `${BASE}/feed`, durationMs: 0 },
    ])
  })

  it('gets refused writes without the body', async () => {
    const port = await openFor(FULL)
    await post(port, '{"level":10}')
    await post(port, '{"level"')
    await post(port, ' '.repeat(70_000))
    await post(port, '{}', '/nowhere')
    await post(port, '{}', '/api/toy/1.0/99/level')
    await post(port, '{}', `${BASE}/descriptor`)
    await post(port, '{}', '/api/toy/2.0/3/level')
    await ask(port, 'POST', `${BASE}/level`, ['Origin: http://localhost'])
    await ask(port, 'GET', '/api/toy/1.0/99/feed')
    toy.device.state = 'restarting'
    await ask(port, 'GET', `${BASE}/feed`)
    expect(writes.map(({ status, method, path }) => `${status} ${method} ${path}`)).toEqual([
      '422 POST /api/toy/1.0/3/level',
      '400 POST /api/toy/1.0/3/level',
      '413 POST /api/toy/1.0/3/level',
      '404 POST /nowhere',
      '404 POST /api/toy/1.0/99/level',
      '405 POST /api/toy/1.0/3/descriptor',
      '400 POST /api/toy/2.0/3/level',
      '415 POST /api/toy/1.0/3/level',
      '404 GET /api/toy/1.0/99/feed',
      '502 GET /api/toy/1.0/3/feed',
    ])
    expect(writes.filter((record) => 'body' in record)).toEqual([])
  })

  it('gets writes that the module refused, with the body', async () => {
    toy.slot.script = { SET_LEVEL: new Error('broken') }
    await post(await openFor(FULL), '{"level":1}')
    expect(writes).toMatchObject([{ status: 500, body: { level: 1 } }])
  })

  it('gets refused writes of a read-only caller', async () => {
    const port = await openFor(READ_ONLY)
    await post(port, '{"level":1}')
    await ask(port, 'GET', `${BASE}/feed`)
    const refused = { caller: READ_ONLY, status: 403, durationMs: 0 }
    expect(writes).toEqual([
      { ...refused, method: 'POST', path: `${BASE}/level`, target: { service: 'toy' } },
      { ...refused, method: 'GET', path: `${BASE}/feed`, target: { service: 'toy', endpoint: 'feed' } },
    ])
  })

  it('gets writes from within the process', async () => {
    await toy.service.inject(`${BASE}/feed`)
    expect(writes).toMatchObject([{ caller: undefined, status: 200 }])
  })

  it('gets neither reads nor requests that failed the access check', async () => {
    const port = await openFor(FULL)
    for (const path of ['level', 'level/cached', 'note/1', 'descriptor', 'nowhere']) await ask(port, 'GET', `${BASE}/${path}`)
    await ask(port, 'OPTIONS', `${BASE}/level`)
    await post(await open({}), '{"level":1}', `${BASE}/level`, ['Origin: https://example.org'])
    expect(writes).toEqual([])
  })

  it('may throw without an effect on the request', async () => {
    const errors: string[] = []
    const log = { debug: () => undefined, info: () => undefined, warn: () => undefined }
    const bad = await createToy({
      log: { ...log, error: (_fields, message) => errors.push(message) },
      onWrite: () => {
        throw new Error('the disk is full')
      },
    })
    const { statusCode, body } = await bad.service.inject(`${BASE}/feed`)
    expect([statusCode, body]).toEqual([200, '{"status":"success"}\n'])
    expect(errors).toEqual(['a write was not recorded'])
  })
})
