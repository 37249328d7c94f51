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

  it('returns 404 to other clients', async () => {
    expect((await toy.service.inject({ url: '/', headers: { accept: '*/*' } })).json()).toMatchObject({ message: 'Not Found' })
  })
})

describe('GET /slotwire/docs', () => {
  it('loads files from this server only', async () => {
    const page = await toy.service.inject('/slotwire/docs/')
    expect(page.headers['content-type']).toBe('text/html; charset=utf-8')
    expect(page.headers['content-security-policy']).toMatch(/^default-src 'self';/)
    const loaded = [...page.body.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path]) => path as string)
    expect(loaded).toHaveLength(4)
    for (const path of loaded) {
      expect(path).toMatch(/^\/slotwire\/docs\//)
      const file = await toy.service.inject(path)
      expect([path, file.statusCode]).toEqual([path, 200])
      expect(file.headers['x-content-type-options']).toBe('nosniff')
      expect(Number(file.headers['content-length'])).toBe(file.rawPayload.length)
    }
  })

  it('uses no external validator', async () => {
    expect((await toy.service.inject('/slotwire/docs/start.js')).body).toContain('validatorUrl: null')
  })

  it('serves no other file', async () => {
    for (const name of ['index.html', 'package.json', '..%2fpackage.json', 'swagger-ui.js']) {
      expect((await toy.service.inject(`/slotwire/docs/${name}`)).statusCode).toBe(404)
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
