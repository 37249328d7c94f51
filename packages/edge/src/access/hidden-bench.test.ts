import { type Extension, objectOf, reads, writes } from '@slotwire/contract'
import { extensionHandlers, type ServedExtension } from '@slotwire/service'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cases } from '../../../../tools/tests/generated-cases.mjs'
import { basic, openDoors } from './access.testkit.ts'

const endpoints = {
  look: { ...reads, path: '/slotwire/bench', reply: objectOf({}), summary: 'Looks', spec: 'ours' },
  short: { ...writes, path: '/slotwire/bench/short', summary: 'Shorts', spec: 'ours' },
} as const satisfies Extension['endpoints']

/** A bench that records calls. */
function recordingBench(): { readonly extension: ServedExtension; readonly reached: string[] } {
  const reached: string[] = []
  const handlers = extensionHandlers(endpoints, {
    look: () => {
      reached.push('look')
      return {}
    },
    short: () => {
      reached.push('short')
      return { status: 'success' } as const
    },
  })
  return { extension: { contract: { name: 'bench', description: 'A bench.', endpoints }, handlers }, reached }
}

const SHORT = '/slotwire/bench/short'
const VIA_PROXY = { 'x-forwarded-for': '192.0.2.7', host: 'device.example' }

/** Other spellings of the same path, which some servers treat as equal. */
const spellings = [
  SHORT,
  `${SHORT}/`,
  `${SHORT}?x=1`,
  `${SHORT}#x`,
  `${SHORT};x`,
  `http://localhost${SHORT}`,
  `HTTP://localhost${SHORT}`,
  `http://user@localhost:8080${SHORT}`,
  '/slotwire/%62ench/short',
  '/slotwire/%62%65%6e%63%68/short',
  '/%73lotwire/bench/short',
  '/slotwire/%2562ench/short',
  '/slotwire%2Fbench/short',
  '/slotwire%2fbench%2fshort',
  '/slotwire/bench%2Fshort',
  '/slotwire\\bench\\short',
  '/slotwire%5Cbench/short',
  '//slotwire/bench/short',
  '/slotwire//bench/short',
  '/slotwire/bench//short',
  '/slotwire/./bench/short',
  '/slotwire/x/../bench/short',
  '/slotwire/%2e/bench/short',
  '/api/../slotwire/bench/short',
  '/api/toy/..%2f..%2fslotwire/bench/short',
  '/Slotwire/bench/short',
  '/slotwire/BENCH/short',
  '/slotwire/bench/short%00',
  '/slotwire/bench%20/short',
]

describe('the bench extension', () => {
  it('can be called by programs of this device in any spelling of its path', async () => {
    const { extension, reached } = recordingBench()
    const { atLoopback } = await openDoors({ extensions: [extension] })
    const own = [SHORT, `${SHORT}/`, '/slotwire/%62ench/short', `${SHORT}?x=1`, '//slotwire//bench/short']
    for (const path of own) expect((await atLoopback({ method: 'POST', path })).status).toBe(200)
    expect(reached).toHaveLength(own.length)
  })

  it.each(spellings)('is hidden from the network at %s', async (path) => {
    const { extension, reached } = recordingBench()
    const { atNetwork, atLoopback, token } = await openDoors({ extensions: [extension], proxies: ['127.0.0.1'] })
    const headers = basic(await token('full'))
    const answers = [
      await atNetwork({ method: 'POST', path, headers }),
      await atNetwork({ method: 'POST', path, headers, body: '{}' }),
      await atNetwork({ path, headers }),
      await atLoopback({ method: 'POST', path, headers: { ...VIA_PROXY, ...headers } }),
    ]
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404])
    for (const { headers: sent } of answers) expect(sent['slotwire-hint']).not.toContain('bench')
    expect(reached).toEqual([])
  })

  it('is hidden from the network without a token too: 401 as for every path', async () => {
    const { extension, reached } = recordingBench()
    const { atNetwork, atLoopback } = await openDoors({ extensions: [extension], proxies: ['127.0.0.1'] })
    expect((await atNetwork({ method: 'POST', path: SHORT })).status).toBe(401)
    expect((await atLoopback({ method: 'POST', path: SHORT, headers: VIA_PROXY })).status).toBe(401)
    expect(reached).toEqual([])
  })

  it('can be called from one address of the network, with a token for all services', async () => {
    const { extension, reached } = recordingBench()
    const { atNetwork, token } = await openDoors({ extensions: [extension], benchFrom: '127.0.0.1' })
    const asked = async (name: string, more: Parameters<typeof token>[1], path = SHORT) =>
      (await atNetwork({ method: 'POST', path, headers: basic(await token(name, more)) })).status
    expect(await asked('full', {})).toBe(200)
    expect(reached).toEqual(['short'])
    expect(await asked('reader', { readOnly: true })).toBe(403)
    expect(await asked('limited', { services: ['toy'] })).toBe(404)
    expect(await asked('other path', {}, '/slotwire/status')).toBe(404)
    expect((await atNetwork({ method: 'POST', path: SHORT })).status).toBe(401)
    expect(reached).toEqual(['short'])
  })

  it.each([
    ['another address', '192.0.2.7', []],
    ['an address that a proxy reports', '192.0.2.9', ['127.0.0.1']],
  ])('stays hidden from %s', async (_, benchFrom, proxies) => {
    const { extension, reached } = recordingBench()
    const { atNetwork, token } = await openDoors({ extensions: [extension], benchFrom, proxies })
    const headers = { ...basic(await token('full')), 'x-forwarded-for': '192.0.2.9' }
    expect((await atNetwork({ method: 'POST', path: SHORT, headers })).status).toBe(404)
    expect(reached).toEqual([])
  })

  it('refuses pages of other sites at the loopback door', async () => {
    const { extension, reached } = recordingBench()
    const { atLoopback } = await openDoors({ extensions: [extension] })
    for (const headers of [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { 'sec-fetch-site': 'cross-site' },
      { referer: 'https://evil.example/' },
      { host: 'evil.example' },
    ]) {
      expect((await atLoopback({ method: 'POST', path: SHORT, headers })).status).toBe(403)
    }
    expect(reached).toEqual([])
  })

  it('cannot be reached from the network by any similar path', async () => {
    const { extension, reached } = recordingBench()
    const { atNetwork, token } = await openDoors({ extensions: [extension] })
    const headers = basic(await token('full'))
    const piece = fc.constantFrom(
      '/',
      '//',
      '/./',
      '/../',
      '%2f',
      '%2F',
      '\\',
      '',
      'slotwire',
      'bench',
      '%62ench',
      'b%65nch',
      'short',
      ';',
      '?',
      '#',
      '.',
      'api',
    )
    const paths = fc.array(piece, { minLength: 1, maxLength: 9 }).map((pieces) => `/${pieces.join('')}`)
    await fc.assert(
      fc.asyncProperty(paths, async (path) => {
        await atNetwork({ method: 'POST', path, headers })
        expect(reached).toEqual([])
      }),
      { numRuns: cases(100), examples: [['/slotwire/bench/short'], ['/slotwire/%62ench']] },
    )
  })
})
