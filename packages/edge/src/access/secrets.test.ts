import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { basic, FEED, LEVEL, openDoors, type TestRequest } from './access.testkit.ts'

/** Contents of all files in a folder and its subfolders. */
function contentsOf(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile())
    .map((path) => `${path}\n${readFileSync(path, 'utf8')}`)
}

/** Includes parts of an error that JSON omits. */
const asText = (_: string, value: unknown): unknown =>
  value instanceof Error ? { message: value.message, stack: value.stack, cause: value.cause } : value

it('files and logs never contain a token, part of one, or its header', async () => {
  const doors = await openDoors({ proxies: ['127.0.0.9'] })
  const { folder, log, store, clock, dateIn, atNetwork, atLoopback, audit } = doors
  const tokens = [
    await store.create({ name: 'full', readOnly: false, services: undefined, expires: undefined }),
    await store.create({ name: 'reading', readOnly: true, services: undefined, expires: undefined }),
    await store.create({ name: 'limited', readOnly: false, services: ['io'], expires: undefined }),
    await store.create({ name: 'short', readOnly: false, services: undefined, expires: dateIn(1000) }),
  ].map(({ text }) => text)
  const secrets: string[] = []
  const statuses = new Set<number>()

  for (const right of tokens) {
    const half = right.slice(0, 35)
    const wrong = right.slice(0, -1) + (right.endsWith('x') ? 'y' : 'x')
    for (const text of [right, half, wrong]) {
      const headers = basic(text)
      secrets.push(text, text.slice(13), headers.authorization.slice(6))
      const write = { method: 'POST', headers, body: '{"level":1}' }
      const description = { 'x-original-uri': LEVEL, 'x-original-method': 'GET' }
      const proxied = {
        from: '127.0.0.9',
        headers: { ...headers, ...description, 'x-forwarded-for': '192.0.2.7', 'x-request-id': text },
      }
      const questions: readonly TestRequest[] = [
        { headers },
        write,
        { path: FEED, headers },
        { headers: { authorization: `Bearer ${text}` } },
        { headers: { authorization: text } },
        { headers: basic('secret', text) },
        // Tokens in wrong places.
        { ...write, body: JSON.stringify({ level: 1, token: text }) },
        { ...write, body: JSON.stringify({ level: text, [text]: [text] }) },
        { ...write, body: text },
        { ...write, path: `/api/toy/1.0/3/${text}` },
        { path: `/api/toy/${text}/3/level`, headers },
      ]
      for (const question of questions) statuses.add((await atNetwork(question)).status)
      for (const path of [LEVEL, FEED, '/slotwire/auth']) statuses.add((await atLoopback({ ...proxied, path })).status)
    }
  }
  await clock.advance(1000)
  for (const text of tokens) await atNetwork({ headers: basic(text) })
  const good = readFileSync(join(folder, 'tokens.json'), 'utf8')
  writeFileSync(join(folder, 'tokens.json'), good.slice(0, -20))
  for (const text of tokens) await atNetwork({ headers: basic(text) })
  writeFileSync(join(folder, 'tokens.json'), good)
  for (const name of ['full', 'reading', 'limited']) await store.revoke(name)
  for (const text of tokens) await atNetwork({ headers: basic(text) })
  store.close()
  audit.add({ who: tokens[0] ?? '', action: 'test', what: { text: tokens }, result: 'success' })

  expect([...statuses].sort()).toEqual([200, 204, 400, 401, 403, 404, 422, 429])
  const lines = log.lines.map((line) => JSON.stringify(line, asText))
  const files = contentsOf(folder)
  expect(lines.length).toBeGreaterThan(30)
  expect(files.map((text) => text.slice(folder.length + 1).split('\n')[0]).sort()).toEqual([
    'audit/changes.jsonl',
    'audit/writes.jsonl',
    'token-use.json',
    'tokens.json',
  ])
  for (const secret of secrets) for (const text of [...files, ...lines]) expect(text).not.toContain(secret)
})
