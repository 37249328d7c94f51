import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { type IncomingMessage, request as requestPlain } from 'node:http'
import { request as requestSecurely } from 'node:https'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { freePort } from '../../../../tests/program/free-port.testkit.ts'
import { Serving } from './serve-process.testkit.ts'

const serving = new Serving()
const VALUES = '/api/io/1.0/5/input/values'
const MODE = '/api/io/1.0/5/input/mode'

const slotwire = async (...words: string[]): Promise<string> => (await serving.slotwire(...words)).output.trim()

async function refusal(...words: string[]): Promise<string> {
  const { code, errors } = await serving.slotwire('serve', '--port', '0', '--log-level', 'silent', ...words)
  expect(code).toBe(2)
  return errors.trim()
}

/** The writes in the audit log. */
const auditedWrites = () =>
  readFileSync(join(serving.state, 'audit', 'writes.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)

interface Asked {
  readonly token?: string
  readonly ca?: string
  readonly body?: object
}

async function ask(url: string, { token, ca, body }: Asked = {}) {
  const secure = url.startsWith('https:')
  const headers = {
    ...(token === undefined ? {} : { authorization: `Basic ${Buffer.from(`token:${token}`).toString('base64')}` }),
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  }
  const options = { method: body === undefined ? 'GET' : 'POST', headers, agent: false as const }
  const request = secure ? requestSecurely(url, { ...options, ...(ca === undefined ? {} : { ca }) }) : requestPlain(url, options)
  const [response] = (await once(request.end(body === undefined ? undefined : JSON.stringify(body)), 'response')) as [
    IncomingMessage,
  ]
  return { status: response.statusCode, text: await text(response) }
}

describe('the network door', () => {
  it('is closed by default', async () => {
    const { announcement } = await serving.start()
    expect(announcement.networkUrls).toEqual([])
  })

  it('requires a token over HTTPS and HTTP, also from this machine; the loopback door does not', async () => {
    const { announcement } = await serving.start('--listen', '127.0.0.1', '--https-port', '0', '--http-port', '0')
    const [https = '', http = ''] = announcement.networkUrls
    expect([https, http]).toEqual([expect.stringMatching(/^https:/), expect.stringMatching(/^http:/)])
    const loopback = announcement.urls[0] ?? ''
    const { text: ca } = await ask(`${http}/ca.pem`)
    const token = await slotwire('token', 'create', '--name', 'full')
    const reader = await slotwire('token', 'create', '--name', 'reader', '--read-only')
    for (const url of [https, http]) {
      expect((await ask(url + VALUES, { ca })).status).toBe(401)
      expect((await ask(url + VALUES, { ca, token: `${token}x` })).status).toBe(401)
      expect((await ask(url + VALUES, { ca, token })).status).toBe(200)
      expect((await ask(url + VALUES, { ca, token: reader })).status).toBe(200)
      expect((await ask(url + MODE, { ca, token: reader, body: { pin: 1, mode: 'analog' } })).status).toBe(403)
      expect((await ask(url + MODE, { ca, token, body: { pin: 1, mode: 'analog' } })).status).toBe(200)
      expect((await ask(`${url}/machine-id`, { ca })).text).toMatch(/^[0-9a-f]{32}\n$/)
      expect((await ask(`${url}/slotwire/metrics`, { ca, token: reader })).text).toContain('slotwire_logins_failed_total')
    }
    expect((await ask(loopback + VALUES)).status).toBe(200)
    const writes = auditedWrites().filter(({ action }) => action === 'write')
    expect(writes.map(({ who, result }) => `${String(who)} ${String(result)}`)).toEqual([
      'reader 403',
      'full 200',
      'reader 403',
      'full 200',
    ])
    await slotwire('token', 'revoke', 'full')
    expect((await ask(https + VALUES, { ca, token })).status).toBe(401)
  }, 20_000)

  it('writes the number of refused writes to the audit log at its end, including those for other services', async () => {
    const { announcement, end } = await serving.start('--listen', '127.0.0.1', '--http-port', '0', '--https-port', '0')
    const http = announcement.networkUrls.find((url) => url.startsWith('http:')) ?? ''
    const token = await slotwire('token', 'create', '--name', 'fans', '--services', 'bmc')
    for (let count = 0; count < 8; count++) expect((await ask(http + MODE, { token, body: {} })).status).toBe(403)
    await end('SIGTERM')
    expect(auditedWrites().slice(4)).toMatchObject([
      { who: 'fans', what: { method: 'POST', path: MODE }, result: 403 },
      { who: 'fans', what: { more: 3, statuses: { 403: 3 } }, result: 'refused' },
    ])
  }, 20_000)

  it('opens and closes on SIGHUP according to the settings, and the rest keeps running', async () => {
    const { announcement, run } = await serving.start()
    const loopback = announcement.urls[0] ?? ''
    const port = await freePort()
    const url = `https://127.0.0.1:${port}`
    const statusOf = async (): Promise<number | undefined> => {
      const { text: ca } = await ask(`${loopback}/ca.pem`)
      return ask(url + VALUES, { ca }).then(
        ({ status }) => status,
        () => undefined,
      )
    }
    expect(await statusOf()).toBeUndefined()
    writeFileSync(join(serving.state, 'settings.yaml'), `doors:\n  listen: [127.0.0.1]\n  https-port: ${port}\n`)
    run.child.kill('SIGHUP')
    await expect.poll(statusOf, { timeout: 5000 }).toBe(401)
    writeFileSync(join(serving.state, 'settings.yaml'), 'doors:\n  listen: oops\n')
    run.child.kill('SIGHUP')
    expect(await statusOf()).toBe(401)
    writeFileSync(join(serving.state, 'settings.yaml'), 'doors:\n  listen: []\n')
    run.child.kill('SIGHUP')
    await expect.poll(statusOf, { timeout: 5000 }).toBeUndefined()
    expect((await ask(loopback + VALUES)).status).toBe(200)
  }, 20_000)

  it('is named with the remedy if it cannot be opened, and frees everything', async () => {
    const taken = createServer().listen(0, '127.0.0.1')
    await once(taken, 'listening')
    const { port } = taken.address() as { port: number }
    expect(await refusal('--listen', '127.0.0.1', '--https-port', String(port))).toBe(
      `slotwire: https at 127.0.0.1 port ${port} is taken: choose another port with --https-port`,
    )
    expect(await refusal('--listen', '192.0.2.99', '--https-port', '0')).toContain('192.0.2.99 is not an address of this machine')
    taken.close()
    await serving.start('--listen', '127.0.0.1', '--https-port', '0')
  }, 20_000)
})

it('settings at the start are refused with line and key if they have mistakes', async () => {
  writeFileSync(join(serving.state, 'settings.yaml'), 'vendor: Example\ndoors:\n  https-port: 70000\n')
  const message = await refusal()
  expect(message).toContain('settings.yaml')
  expect(message).toContain('3')
  expect(message).toContain('doors.https-port')
})
