import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { gunzipSync } from 'node:zlib'
import { beforeAll, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../../tests/temporary-folder.testkit.ts'
import { type AppPage, readAppPage } from './app-page.ts'
import { preferredType } from './static-content.ts'
import { createToy, type Toy } from './toy.testkit.ts'

const MAIN = 'start()\n'.repeat(300)
const page: AppPage = {
  html: Buffer.from('<!doctype html>\n<title>Console</title>\n'),
  files: new Map([
    ['main.js', { type: 'text/javascript; charset=utf-8', load: async () => Buffer.from(MAIN) }],
    ['packages/@a/b/x.mjs', { type: 'text/javascript; charset=utf-8', load: async () => Buffer.from('export {}\n') }],
    ['main.css', { type: 'text/css; charset=utf-8', load: async () => Buffer.from('p {}\n') }],
  ]),
}

let toy: Toy
beforeAll(async () => {
  toy = await createToy({ page: async () => page })
})
const get = (url: string, headers: Record<string, string> = {}) => toy.service.inject({ url, headers })
const HTML = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

describe('GET / of a service with a page', () => {
  it('is the page for a browser, with its policy', async () => {
    const { statusCode, headers, body } = await get('/', HTML)
    expect([statusCode, body]).toEqual([200, String(page.html)])
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': expect.stringMatching(/^default-src 'none'; script-src 'self'; style-src 'self';/) as string,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-cache',
    })
    expect(String(headers.vary)).toContain('Accept')
  })

  it.each([{}, { accept: '*/*' }, { accept: 'application/json' }])('is JSON for a program that sends %j', async (headers) => {
    expect((await get('/', headers)).json()).toMatchObject({ name: 'slotwire', docs: '/slotwire/docs' })
  })

  it('is not sent again to a browser that has it', async () => {
    const etag = String((await get('/', HTML)).headers.etag)
    expect(await get('/', { ...HTML, 'if-none-match': etag })).toMatchObject({ statusCode: 304, body: '' })
  })

  it('has its length for HEAD', async () => {
    const answer = await toy.service.inject({ method: 'HEAD', url: '/', headers: HTML })
    expect([answer.statusCode, answer.headers['content-length']]).toEqual([200, String(page.html.length)])
  })

  it('is one click away from the API reference', async () => {
    expect((await get('/slotwire/docs', HTML)).body).toContain('<a href="/">← Console</a>')
  })
})

describe('GET /slotwire/console/…', () => {
  it.each([
    ['main.js', 'text/javascript; charset=utf-8'],
    ['packages/@a/b/x.mjs', 'text/javascript; charset=utf-8'],
    ['packages/%40a/b/x.mjs', 'text/javascript; charset=utf-8'],
    ['main.css?v=1', 'text/css; charset=utf-8'],
    ['icon.svg', 'image/svg+xml'],
  ])('serves %s', async (path, type) => {
    const { statusCode, headers } = await get(`/slotwire/console/${path}`)
    expect([statusCode, headers['content-type'], headers['x-content-type-options']]).toEqual([200, type, 'nosniff'])
    expect(headers['content-security-policy']).toBe("default-src 'none'; frame-ancestors 'none'")
  })

  it.each([
    '',
    'main.js.map',
    'MAIN.js',
    'main.ts',
    'index.html',
    'packages/@a/b',
    'packages%2f@a%2fb%2fx.mjs',
    'packages/@a%2fb/x.mjs',
    '..%2fdocs%2fpage.css',
    '..\\main.js',
    'main.js%00',
    'node_modules/preact/package.json',
    '/etc/passwd',
    '__proto__',
    '3',
  ])('serves no other file: %s', async (path) => {
    expect((await get(`/slotwire/console/${path}`)).statusCode).toBe(404)
  })

  it('is compressed, and not sent again to a browser that has it', async () => {
    const packed = await get('/slotwire/console/main.js', { 'accept-encoding': 'gzip' })
    expect([packed.headers['content-encoding'], String(gunzipSync(packed.rawPayload))]).toEqual(['gzip', MAIN])
    const again = await get('/slotwire/console/main.js', { 'if-none-match': String(packed.headers.etag) })
    expect([again.statusCode, again.body]).toEqual([304, ''])
  })

  it('can only be read: 405', async () => {
    const answer = await toy.service.inject({ method: 'POST', url: '/slotwire/console/main.js', payload: '{}' })
    expect([answer.statusCode, answer.headers.allow]).toEqual([405, 'GET, HEAD'])
  })
})

describe('a page that cannot be loaded', () => {
  it('is an error of this request, and is loaded at the next one', async () => {
    let loads = 0
    const { service } = await createToy({
      page: async () => {
        loads += 1
        if (loads === 1) throw new Error('a file is missing')
        return page
      },
    })
    const statuses = []
    for (let count = 0; count < 3; count++) statuses.push((await service.inject({ url: '/', headers: HTML })).statusCode)
    expect([statuses, loads]).toEqual([[500, 200, 200], 2])
  })
})

describe('readAppPage', () => {
  it('reads the page and serves only the scripts and styles of its folder', async () => {
    const folder = temporaryFolder()
    for (const name of ['index.html', 'main.js', 'styles.css', '.env', 'main.js.map']) writeFileSync(join(folder, name), name)
    mkdirSync(join(folder, 'toString'))
    const read = await readAppPage(pathToFileURL(`${folder}/`))
    expect([String(read.html), [...read.files.keys()].sort()]).toEqual(['index.html', ['main.js', 'styles.css']])
    expect(String(await read.files.get('main.js')?.load())).toBe('main.js')
  })
})

it.each([
  [undefined, 'text/event-stream'],
  ['', 'text/event-stream'],
  ['*/*', 'text/event-stream'],
  ['text/plain', 'text/event-stream'],
  ['application/json', 'application/json'],
  ['Application/JSON; charset=utf-8', 'application/json'],
  ['text/event-stream, application/json;q=0.5', 'text/event-stream'],
  ['text/event-stream;q=0.5, application/json', 'application/json'],
  ['application/json;q=0, */*', 'text/event-stream'],
  ['application/json, text/plain, */*', 'application/json'],
  ['application/json, text/event-stream', 'application/json'],
  ['text/*;q=0.1, application/*;v=1;Q=0.2', 'application/json'],
  ['application/json-seq', 'text/event-stream'],
])('Accept %j prefers %s', (accept, type) => {
  expect(preferredType(accept, ['text/event-stream', 'application/json'])).toBe(type)
})
