import { execFile, execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type IncomingMessage, Agent as PlainAgent, request as requestPlain } from 'node:http'
import { Agent, request } from 'node:https'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { connect, type TLSSocket } from 'node:tls'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type Announcement, SlotwireProcess } from '../../../../tests/program/slotwire-process.testkit.ts'
import { temporaryFolder } from '../../../../tests/temporary-folder.testkit.ts'
import { describeWith } from '../../../../tools/setup/describe-with.mjs'

const MAIN = join(import.meta.dirname, '../../dist/main.js')
const DESCRIPTORS = 480
const TLS_CONNECTIONS = 456
/** Fewer than a process without connections has open. */
const TOO_FEW = 10
const BMC = '/api/bmc/1.0/0'
const MODE = '/api/io/1.0/5/input/mode'
const DIGITAL = { pin: 1, mode: 'digital' }

let state: string
let sockets: TLSSocket[]
let agents: PlainAgent[]
beforeEach(() => {
  state = temporaryFolder()
  ;[sockets, agents] = [[], []]
})
afterEach(() => [...sockets, ...agents].forEach((each) => each.destroy()))

const slotwire = async (...words: string[]) =>
  (await promisify(execFile)(process.execPath, [MAIN, ...words, '--state', state])).stdout.trim()

/** A service with few descriptors, and clients that keep their one connection. */
async function serve() {
  const startedBy = ['/bin/sh', '-c', `ulimit -n ${DESCRIPTORS}; exec "$0" "$@"`]
  const options = ['--json', '--port', '0', '--listen', '127.0.0.1', '--https-port', '0', '--log-level', 'silent']
  const run = new SlotwireProcess(['serve', '--state', state, ...options], { startedBy })
  const { urls, networkUrls } = JSON.parse(await run.firstLine()) as Announcement
  const [loopback = '', network = ''] = [urls[0], networkUrls[0]]
  const ca = readFileSync(join(state, 'tls', 'authority.pem'), 'utf8')
  const plainAgent = new PlainAgent({ keepAlive: true, maxSockets: 1 })
  const agent = new Agent({ keepAlive: true, maxSockets: 1, ca })
  agents.push(plainAgent, agent)

  async function answerTo(path: string, body?: object, token?: string) {
    const login = token === undefined ? {} : { authorization: `Basic ${Buffer.from(`token:${token}`).toString('base64')}` }
    const headers = { ...login, ...(body === undefined ? {} : { 'content-type': 'application/json' }) }
    const asked = { method: body === undefined ? 'GET' : 'POST', headers }
    const sent =
      token === undefined
        ? requestPlain(loopback + path, { ...asked, agent: plainAgent })
        : request(network + path, { ...asked, agent })
    const [response] = (await once(sent.end(body === undefined ? undefined : JSON.stringify(body)), 'response')) as [
      IncomingMessage,
    ]
    return { status: response.statusCode, text: await text(response) }
  }

  /** Resolves with the state of the connection after its handshake. */
  async function openTls(): Promise<boolean> {
    const socket = connect({ host: '127.0.0.1', port: Number(new URL(network).port), ca })
    sockets.push(socket.on('error', () => undefined))
    await new Promise<void>((resolve) => socket.once('secureConnect', resolve).once('close', () => resolve()))
    return !socket.destroyed
  }

  const watchdog = async () => JSON.parse((await answerTo(`${BMC}/watchdog`)).text) as Record<string, unknown>
  const readyz = async () => JSON.parse((await answerTo('/slotwire/readyz')).text) as Record<string, unknown>
  return { run, answerTo, openTls, watchdog, readyz }
}

/** Results of the audited writes, in order. */
const audited = () =>
  readFileSync(join(state, 'audit', 'writes.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { result: unknown }).result)

it('a service whose every connection is in use saves, revokes and audits as ever', async () => {
  const { run, answerTo, openTls, watchdog, readyz } = await serve()
  const token = await slotwire('token', 'create', '--name', 'full')
  expect((await answerTo(`${BMC}/watchdog`, { timeout: 600_000 }, token)).status).toBe(200)
  expect((await answerTo(`${BMC}/watchdog/save`, undefined, token)).status).toBe(200)
  const opened = []
  for (let count = 0; count < TLS_CONNECTIONS; count++) {
    // The service closes idle connections after some seconds.
    if (count % 20 === 0) await Promise.all([readyz(), answerTo(`${BMC}/watchdog`, undefined, token)])
    opened.push(await openTls())
  }
  expect(opened.filter((isOpen) => isOpen).length).toBeLessThan(DESCRIPTORS - 128)
  expect((await answerTo(`${BMC}/watchdog/sw_shutdown_timeout`, { timeout: 23_456 }, token)).status).toBe(200)
  expect((await answerTo(MODE, DIGITAL, token)).status).toBe(200)
  await slotwire('token', 'revoke', 'full')
  expect((await answerTo(MODE, DIGITAL, token)).status).toBe(401)
  expect([audited(), await readyz()]).toEqual([[200, 200, 200, 200], { status: 'success' }])
  expect(await watchdog()).toMatchObject({ emergency_mode: false })
  await run.remove()
  const again = await serve()
  expect(await again.watchdog()).toMatchObject({ timeout: 600_000, shutdown_timeout: 23_456, emergency_mode: false })
}, 60_000)

describeWith('prlimit', 'a service that cannot open any file', (prlimit) => {
  it('keeps what is in memory, refuses saves and tokens, and reports writes that it could not audit', async () => {
    const { run, answerTo, watchdog, readyz } = await serve()
    const token = await slotwire('token', 'create', '--name', 'full')
    const save = async (timeout: number) => (await answerTo(`${BMC}/watchdog/sw_shutdown_timeout`, { timeout })).text
    const allow = (descriptors: number) => execFileSync(prlimit, [`--pid=${run.pid}`, `--nofile=${descriptors}:`])
    expect(await save(23_456)).toContain('success')
    expect((await answerTo(MODE, DIGITAL, token)).status).toBe(200)
    allow(TOO_FEW)
    expect(await save(20_000)).toContain('could not save')
    expect((await answerTo(`${BMC}/watchdog/save`)).text).toContain('could not save')
    expect(await watchdog()).toMatchObject({ shutdown_timeout: 23_456, emergency_mode: false })
    expect((await answerTo(MODE, DIGITAL, token)).status).toBe(200)
    expect(await readyz()).toEqual({ status: 'success', warnings: [expect.stringMatching(/^audit log: 1 not written/)] })
    expect((await answerTo('/slotwire/metrics')).text).toContain('slotwire_audit_failures_total 1\n')
    await slotwire('token', 'revoke', 'full')
    expect(await answerTo(MODE, DIGITAL, token)).toMatchObject({
      status: 503,
      text: expect.stringContaining('the access tokens cannot be read') as string,
    })
    allow(DESCRIPTORS)
    expect((await answerTo(MODE, DIGITAL, token)).status).toBe(401)
    expect(await save(30_000)).toContain('success')
    expect([await watchdog(), audited()]).toMatchObject([{ shutdown_timeout: 30_000 }, [200]])
  })
})
