import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { SystemClock } from '@slotwire/core'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Announcement } from '../../../../tests/program/slotwire-process.testkit.ts'

const MAIN = join(import.meta.dirname, '../../dist/main.js')
/** The promise: ended so soon after a signal. */
const END_WITHIN_MS = 2000

const clock = new SystemClock()
let state: string
const children: ChildProcess[] = []
beforeEach(() => {
  state = mkdtempSync(join(tmpdir(), 'slotwire serve '))
})
afterEach(async () => {
  for (const child of children.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  rmSync(state, { recursive: true, force: true })
})

function slotwire(...args: string[]): ChildProcess {
  const child = spawn(process.execPath, [MAIN, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  children.push(child)
  return child
}

async function linesOf(stream: NodeJS.ReadableStream | null): Promise<string[]> {
  const lines: string[] = []
  if (stream !== null) for await (const line of createInterface({ input: stream })) lines.push(line)
  return lines
}

async function start(...args: string[]) {
  const child = slotwire('serve', '--json', '--port', '0', '--state', state, '--log-level', 'warn', ...args)
  if (child.stdout === null) throw new Error('no standard output')
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
  const announcement = JSON.parse(line) as Announcement
  const url = announcement.urls[0] as string
  const get = async (path: string) => (await fetch(url + path)).json() as Promise<Record<string, unknown>>
  const post = async (path: string, body: object) =>
    (await fetch(url + path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }))
      .status
  return { child, announcement, url, get, post }
}

async function endOf(child: ChildProcess) {
  const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null]
  return { code, signal }
}

async function refusal(...args: string[]) {
  const child = slotwire(...args)
  const [errors, output, end] = await Promise.all([linesOf(child.stderr), linesOf(child.stdout), endOf(child)])
  return { errors, output, code: end.code }
}

describe('slotwire serve --json', () => {
  it('prints one line that says where it listens and what is in which slot', async () => {
    const { announcement, get } = await start()
    expect(announcement.services).toEqual(['bmc', 'io', 'power'])
    expect(announcement.slots.map(({ slot, service }) => `${slot} ${service}`)).toEqual(['0 bmc', '1 power', '3 io', '5 io'])
    expect(announcement.stateFolder).toBe(state)
    expect(await get('/slotwire/readyz')).toEqual({ status: 'success' })
  })

  it('serves one service alone with --services', async () => {
    const { announcement, url } = await start('--services', 'io')
    expect(announcement.slots.map(({ slot }) => slot)).toEqual([3, 5])
    expect((await fetch(`${url}/api/io/`)).status).toBe(200)
    expect((await fetch(`${url}/api/bmc/`)).status).toBe(404)
  })
})

describe('a saved watchdog', () => {
  it('is still there after SIGKILL and a new start at once, and gone with --reset-state', async () => {
    const first = await start()
    expect(await first.post('/api/bmc/1.0/0/watchdog', { timeout: 600_000 })).toBe(200)
    expect(await first.get('/api/bmc/1.0/0/watchdog/save')).toEqual({ status: 'success' })
    first.child.kill('SIGKILL')
    await endOf(first.child)
    const second = await start()
    expect(await second.get('/api/bmc/1.0/0/watchdog')).toMatchObject({ timeout: 600_000 })
    second.child.kill('SIGTERM')
    await endOf(second.child)
    const third = await start('--reset-state')
    expect(await third.get('/api/bmc/1.0/0/watchdog')).toMatchObject({ timeout: 0 })
  })
})

describe('what cannot be served', () => {
  it('is a state folder that another process has', async () => {
    const { child } = await start()
    const second = await refusal('serve', '--port', '0', '--state', state)
    expect(second).toEqual({ code: 2, output: [], errors: [expect.stringContaining(`in use by process ${child.pid}`)] })
  })

  it('is a port that is taken', async () => {
    const { url } = await start()
    const other = join(state, 'other')
    const second = await refusal('serve', '--port', new URL(url).port, '--state', other)
    expect(second).toEqual({ code: 2, output: [], errors: [expect.stringContaining(`port ${new URL(url).port} is taken`)] })
  })

  it('forgets nothing, also with --reset-state', async () => {
    const { url, get, post } = await start()
    expect(await post('/api/bmc/1.0/0/watchdog/sw_shutdown_timeout', { timeout: 12_345 })).toBe(200)
    const other = join(state, 'other')
    cpSync(join(state, 'twin'), join(other, 'twin'), { recursive: true })
    expect((await refusal('serve', '--port', new URL(url).port, '--state', other, '--reset-state')).code).toBe(2)
    expect(readFileSync(join(other, 'twin', 'slot-0.json'), 'utf8')).toContain('12345')
    expect(await get('/api/bmc/1.0/0/watchdog')).toMatchObject({ shutdown_timeout: 12_345 })
  })

  it('is a state folder that cannot be written', async () => {
    expect(await refusal('serve', '--port', '0', '--state', '/dev/null/x')).toMatchObject({
      code: 2,
      errors: [expect.anything()],
    })
  })

  it('is an unknown option or command, with one line', async () => {
    expect(await refusal('serve', '--prot', '0')).toEqual({ code: 2, output: [], errors: [expect.stringContaining("'--prot'")] })
    expect(await refusal('sevre')).toEqual({ code: 2, output: [], errors: [expect.stringContaining("'sevre'")] })
  })
})

describe.each(['SIGTERM', 'SIGINT'] as const)('%s', (signal) => {
  it('finishes the request that is under way, then ends with code 0 within two seconds', async () => {
    const { child, url } = await start('--bus', 'timed')
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    await once(socket, 'connect')
    const body = '{"pin":1,"mode":"digital"}'
    const head = ['POST /api/io/1.0/5/input/mode HTTP/1.1', 'Host: localhost', 'Content-Type: application/json']
    socket.write(`${head.join('\r\n')}\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, 5)}`)
    // Another connection's answer proves that the first one's request has arrived.
    await fetch(`${url}/slotwire/livez`)
    const from = clock.now()
    const ended = endOf(child)
    child.kill(signal)
    socket.write(body.slice(5))
    let answer = ''
    for await (const chunk of socket) answer += String(chunk)
    expect(answer).toMatch(/^HTTP\/1\.1 200 /)
    expect(answer).toContain('{"status":"success"}')
    expect(await ended).toEqual({ code: 0, signal: null })
    expect(clock.now() - from).toBeLessThan(END_WITHIN_MS)
  })

  it('ends within two seconds although a client never ends its request', async () => {
    const { child, url } = await start()
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    await once(socket, 'connect')
    socket
      .on('error', () => undefined)
      .write('POST /api/io/1.0/5/input/mode HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{')
    await fetch(`${url}/slotwire/livez`)
    const from = clock.now()
    child.kill(signal)
    expect(await endOf(child)).toEqual({ code: 0, signal: null })
    expect(clock.now() - from).toBeLessThan(END_WITHIN_MS)
    socket.destroy()
  })
})
