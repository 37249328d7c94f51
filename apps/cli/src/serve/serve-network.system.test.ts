import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { type IncomingMessage, request as requestPlain } from 'node:http'
import { request as requestSecurely } from 'node:https'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { freePort } from '../../../../tests/program/free-port.testkit.ts'
import { temporaryFolder } from '../../../../tests/temporary-folder.testkit.ts'
import type { StartAnnouncement } from './announcement.ts'

const MAIN = join(import.meta.dirname, '../../dist/main.js')
const VALUES = '/api/io/1.0/5/input/values'
const MODE = '/api/io/1.0/5/input/mode'

let state: string
let children: ReturnType<typeof spawn>[]
beforeEach(() => {
  state = temporaryFolder()
  children = []
})
afterEach(async () => {
  for (const child of children) {
    if (child.exitCode !== null || child.signalCode !== null) continue
    child.kill('SIGTERM')
    await once(child, 'exit')
  }
})

async function serve(...args: string[]) {
  const options = ['--json', '--port', '0', '--state', state, '--log-level', 'error']
  const child = spawn(process.execPath, [MAIN, 'serve', ...options, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  children.push(child)
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
  return { child, announcement: JSON.parse(line) as StartAnnouncement }
}

async function slotwire(...args: string[]): Promise<string> {
  return (await promisify(execFile)(process.execPath, [MAIN, ...args, '--state', state])).stdout.trim()
}

async function refusal(...args: string[]): Promise<string> {
  const failed = await slotwire('serve', '--port', '0', '--log-level', 'silent', ...args).catch(
    (error: unknown) => error as { code: number; stderr: string },
  )
  if (typeof failed === 'string') throw new Error('it started')
  expect(failed.code).toBe(2)
  return failed.stderr.trim()
}

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
    const { announcement } = await serve()
    expect(announcement.networkUrls).toEqual([])
  })

  it('requires a token over HTTPS and HTTP, also from this machine; the loopback door does not', async () => {
    const { announcement } = await serve('--listen', '127.0.0.1', '--https-port', '0', '--http-port', '0')
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
    const lines = readFileSync(join(state, 'audit', 'writes.jsonl'), 'utf8')
      .trim()
      .split('\n')
    const writes = lines.map((line) => JSON.parse(line) as Record<string, unknown>).filter(({ action }) => action === 'write')
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
    const { announcement, child } = await serve('--listen', '127.0.0.1', '--http-port', '0', '--https-port', '0')
    const http = announcement.networkUrls.find((url) => url.startsWith('http:')) ?? ''
    const token = await slotwire('token', 'create', '--name', 'fans', '--services', 'bmc')
    for (let count = 0; count < 8; count++) expect((await ask(http + MODE, { token, body: {} })).status).toBe(403)
    child.kill('SIGTERM')
    await once(child, 'exit')
    const lines = readFileSync(join(state, 'audit', 'writes.jsonl'), 'utf8')
      .trim()
      .split('\n')
    expect(lines.map((line) => JSON.parse(line) as Record<string, unknown>).slice(4)).toMatchObject([
      { who: 'fans', what: { method: 'POST', path: MODE }, result: 403 },
      { who: 'fans', what: { more: 3, statuses: { 403: 3 } }, result: 'refused' },
    ])
  }, 20_000)

  it('opens and closes on SIGHUP according to the settings, and the rest keeps running', async () => {
    const { announcement, child } = await serve()
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
    writeFileSync(join(state, 'settings.yaml'), `doors:\n  listen: [127.0.0.1]\n  https-port: ${port}\n`)
    child.kill('SIGHUP')
    await expect.poll(statusOf, { timeout: 5000 }).toBe(401)
    writeFileSync(join(state, 'settings.yaml'), 'doors:\n  listen: oops\n')
    child.kill('SIGHUP')
    expect(await statusOf()).toBe(401)
    writeFileSync(join(state, 'settings.yaml'), 'doors:\n  listen: []\n')
    child.kill('SIGHUP')
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
    await serve('--listen', '127.0.0.1', '--https-port', '0')
  }, 20_000)
})

it('settings at the start are refused with line and key if they have mistakes', async () => {
  writeFileSync(join(state, 'settings.yaml'), 'vendor: Example\ndoors:\n  https-port: 70000\n')
  const message = await refusal()
  expect(message).toContain('settings.yaml')
  expect(message).toContain('3')
  expect(message).toContain('doors.https-port')
})
