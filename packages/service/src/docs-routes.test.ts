import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { formatVersion, SLOTWIRE_VERSION } from '@slotwire/core'
import { beforeAll, describe, expect, it } from 'vitest'
import { createToy, type Toy } from './toy.testkit.ts'

let toy: Toy

beforeAll(async () => {
  toy = await createToy()
})

describe('GET /', () => {
  it('redirects a browser to the API reference', async () => {
    const response = await toy.service.inject({ url: '/', headers: { accept: 'text/html,*/*;q=0.8' } })
    expect([response.statusCode, response.headers.location]).toEqual([302, '/slotwire/docs'])
  })

  it('shows other clients where to begin', async () => {
    const services = { toy: '/api/toy/1.0/' }
    expect((await toy.service.inject({ url: '/', headers: { accept: '*/*' } })).json()).toMatchObject({ services })
  })
})

describe('GET /slotwire/docs', () => {
  it('loads files from this server only', async () => {
    const page = await toy.service.inject('/slotwire/docs/')
    expect(page.headers['content-type']).toBe('text/html; charset=utf-8')
    expect(page.headers['content-security-policy']).toMatch(/^default-src 'self';/)
    expect(page.headers['content-security-policy']).not.toContain('unsafe')
    const loaded = [...page.body.matchAll(/(?:src|href)="([^"]+\.\w+)"/g)].map(([, path]) => path as string)
    expect(loaded).toHaveLength(3)
    for (const path of loaded) {
      expect(path).toMatch(/^\/slotwire\/docs\//)
      const file = await toy.service.inject(path)
      expect([path, file.statusCode]).toEqual([path, 200])
      expect(file.headers['x-content-type-options']).toBe('nosniff')
      expect(Number(file.headers['content-length'])).toBe(file.rawPayload.length)
    }
  })

  it('links to the API document of each extension', async () => {
    const contract = { name: 'lamps', description: 'Lamps', endpoints: {} }
    const { service } = await createToy({ extensions: [{ contract, handlers: {} }] })
    expect((await service.inject('/slotwire/docs')).body).toContain('<a href="?lamps">lamps</a></nav>')
  })

  it('serves no other file', async () => {
    for (const name of ['page.html', '..%2fservice.ts', 'page.ts']) {
      expect((await toy.service.inject(`/slotwire/docs/${name}`)).statusCode).toBe(404)
    }
  })
})

describe('large static content', () => {
  const DOCUMENT = '/slotwire/openapi.json'
  const BUNDLE = '/slotwire/docs/page.js'
  const get = (url: string, headers: Record<string, string>) => toy.service.inject({ url, headers })

  it.each([
    ['gzip, deflate, br', 'br', brotliDecompressSync],
    ['gzip', 'gzip', gunzipSync],
    ['GZIP;q=0.5, br;q=0', 'gzip', gunzipSync],
  ] as const)('is compressed for a client that accepts %s', async (accepted, coding, decompress) => {
    for (const url of [DOCUMENT, BUNDLE]) {
      const [plain, packed] = [await get(url, {}), await get(url, { 'accept-encoding': accepted })]
      expect([plain.headers['content-encoding'], packed.headers['content-encoding']]).toEqual([undefined, coding])
      expect([plain.headers.vary, packed.headers.vary]).toEqual(['Accept-Encoding', 'Accept-Encoding'])
      expect(decompress(packed.rawPayload).equals(plain.rawPayload)).toBe(true)
      expect(packed.rawPayload.length * 2).toBeLessThan(plain.rawPayload.length)
    }
  })

  it.each(['', 'identity', 'deflate', 'br;q=0, gzip;q=0.0', 'brotli', 'gzip;q=x'])(
    'is plain for a client that accepts %j',
    async (accepted) => {
      expect((await get(DOCUMENT, { 'accept-encoding': accepted })).headers).not.toHaveProperty('content-encoding')
    },
  )

  it('is plain if it is small or an image', async () => {
    for (const url of ['/slotwire/docs', '/slotwire/docs/icon.svg'])
      expect((await get(url, { 'accept-encoding': 'br' })).headers).not.toHaveProperty('content-encoding')
  })

  it('is not sent again to a client that has it', async () => {
    for (const url of [DOCUMENT, BUNDLE, '/slotwire/docs']) {
      const etag = String((await get(url, {})).headers['etag'])
      for (const copies of [etag, etag.slice(2), `"other", ${etag}`, '*']) {
        const answer = await get(url, { 'if-none-match': copies, 'accept-encoding': 'br' })
        expect([answer.statusCode, answer.body, answer.headers['etag']]).toEqual([304, '', etag])
        expect(answer.headers).not.toHaveProperty('content-length')
      }
      expect((await get(url, { 'if-none-match': '"other"' })).statusCode).toBe(200)
    }
  })
})

describe('GET /slotwire/openapi.json', () => {
  it('describes the API of the services', async () => {
    const document = (await toy.service.inject('/slotwire/openapi.json')).json<{ paths: object; info: { version: string } }>()
    expect(document.info.version).toBe(formatVersion(SLOTWIRE_VERSION))
    expect(Object.keys(document.paths)).toContain('/api/toy/1.0/{slot}/level')
  })
})
