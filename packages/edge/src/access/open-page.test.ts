import { describe, expect, it } from 'vitest'
import { basic, LEVEL, openDoors, PAGE, type TestRequest } from './access.testkit.ts'

const HTML = { accept: 'text/html,*/*;q=0.8' }
const MAIN = '/slotwire/console/main.js'
const open: readonly TestRequest[] = [
  { path: '/', headers: HTML },
  { path: '/?from=link', headers: HTML },
  { path: '/', headers: HTML, method: 'HEAD' },
  { path: MAIN },
  { path: MAIN, method: 'HEAD' },
  { path: '/slotwire/console/icon.svg' },
]
const closed: readonly TestRequest[] = [
  { path: '/' },
  { path: '/', headers: { accept: 'application/json' } },
  { path: '/', headers: HTML, method: 'POST', body: '{}' },
  { path: '/', headers: HTML, method: 'OPTIONS' },
  { path: LEVEL, headers: HTML },
  { path: '/slotwire/docs', headers: HTML },
  { path: '/slotwire/console', headers: HTML },
  { path: '/slotwire/console/', headers: HTML },
  { path: '/slotwire/consoles/main.js' },
  { path: MAIN, method: 'POST', body: '{}' },
  { path: '/slotwire%2fconsole/main.js' },
  { path: `/slotwire/console/../..${LEVEL}` },
  { path: '/slotwire/console/%2e%2e/metrics' },
  { path: '/slotwire/console/..%2fmetrics' },
  { path: '/slotwire/console/..\\metrics' },
]
const named = ({ method = 'GET', path, headers }: TestRequest): string => `${method} ${path} ${headers?.['accept'] ?? ''}`

describe('the page for browsers at the network door', () => {
  it('needs no credentials, and ignores wrong ones', async () => {
    const { atNetwork, token, failures } = await openDoors()
    for (const credentials of [{}, basic('wrong'), basic(await token('a', { services: ['power'] }))]) {
      for (const asked of open) {
        const headers = { ...asked.headers, ...credentials }
        expect([named(asked), (await atNetwork({ ...asked, headers })).status]).toEqual([named(asked), 200])
      }
    }
    expect((await atNetwork({ path: '/', headers: HTML })).body).toBe(String(PAGE.html))
    expect(failures.metrics().map(({ samples }) => samples[0]?.value)).toEqual([0, 0])
  })

  it.each(closed.map((asked) => [named(asked), asked] as const))('opens nothing else: %s', async (_, asked) =>
    expect((await (await openDoors()).atNetwork(asked)).status).toBe(401),
  )

  it('names nothing of the device where no file is', async () => {
    const { status, headers } = await (await openDoors()).atNetwork({ path: '/slotwire/console/toy' })
    expect([status, headers['slotwire-hint']]).toEqual([404, 'the page has no such file'])
  })

  it('is refused to pages of other sites: 403', async () => {
    const { atNetwork } = await openDoors()
    for (const asked of open)
      expect((await atNetwork({ ...asked, headers: { ...asked.headers, origin: 'https://evil.example' } })).status).toBe(403)
  })
})

describe('the page for browsers at the loopback door', () => {
  it('is refused to pages of other sites: 403', async () => {
    const { atLoopback } = await openDoors()
    for (const asked of open) {
      expect((await atLoopback(asked)).status).toBe(200)
      for (const foreign of [{ host: 'evil.example' }, { origin: 'https://evil.example' }, { 'sec-fetch-site': 'cross-site' }])
        expect((await atLoopback({ ...asked, headers: { ...asked.headers, ...foreign } })).status).toBe(403)
    }
  })

  it.each([
    ...'../docs/page.css %2e%2e/docs/page.css x/../main.js ./main.js ..//docs/page.css'.split(' '),
    ...'../../console/main.js'.split(' '),
  ])('has no file at a path with dots: %s', async (path) =>
    expect((await (await openDoors()).atLoopback({ path: `/slotwire/console/${path}` })).status).toBe(404),
  )

  it('is open through a proxy, which asks for each request', async () => {
    const { atLoopback } = await openDoors({ proxies: ['127.0.0.1'] })
    const status = async ({ method = 'GET', path = '', headers }: TestRequest, by: string) => {
      const described = { 'x-forwarded-for': '192.0.2.7', [`x-${by}-uri`]: path, [`x-${by}-method`]: method }
      return (await atLoopback({ path: '/slotwire/auth', headers: { ...headers, ...described } })).status
    }
    for (const by of ['original', 'forwarded']) {
      for (const asked of open) expect([named(asked), await status(asked, by)]).toEqual([named(asked), 204])
      for (const asked of closed) expect([named(asked), await status(asked, by)]).toEqual([named(asked), 401])
    }
  })
})
