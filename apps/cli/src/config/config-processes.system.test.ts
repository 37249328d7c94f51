import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../../../tests/temporary-folder.testkit.ts'

const MAIN = join(import.meta.dirname, '../../dist/main.js')

let folder: string
let state: string
let server: ChildProcess | undefined
let logged: string
beforeEach(() => {
  folder = temporaryFolder()
  state = join(folder, 'state')
  server = undefined
  logged = ''
})
afterEach(async () => {
  if (server?.exitCode === null && server.signalCode === null) {
    server.kill('SIGINT')
    await once(server, 'exit')
  }
})

async function slotwire(...words: readonly string[]) {
  const child = spawn(process.execPath, [MAIN, ...words, '--state', state], { stdio: ['ignore', 'pipe', 'pipe'] })
  let [output, errors] = ['', '']
  child.stdout.on('data', (data) => (output += String(data)))
  child.stderr.on('data', (data) => (errors += String(data)))
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, output, errors }
}

/** Starts a service on a free port. Resolves with its URL. */
async function serve(): Promise<string> {
  const child = spawn(process.execPath, [MAIN, 'serve', '--port', '0', '--json', '--log-level', 'error', '--state', state], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  server = child
  child.stderr.on('data', (data) => (logged += String(data)))
  const [line] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string]
  const [url = ''] = (JSON.parse(line) as { readonly urls: readonly string[] }).urls
  return url
}

const statusOf = async (url: string): Promise<number> => (await fetch(url)).status

/** Starting the whole program is slow on a busy machine. */
const SLOW = { timeout: 90_000 }

describe('slotwire config set, run several times in parallel', SLOW, () => {
  it('loses no change', async () => {
    const changes = [
      ...'vendor=A host-name=press-4 names=a,b doors.https-port=8443 doors.http-port=8080'.split(' '),
      ...'events.streams=9'.split(' '),
    ]
    const outcomes = await Promise.all(changes.map((change) => slotwire('config', 'set', change)))
    expect(outcomes.map(({ code, errors }) => ({ code, errors }))).toEqual(changes.map(() => ({ code: 0, errors: '' })))
    const text = readFileSync(join(state, 'settings.yaml'), 'utf8')
    for (const said of ['vendor: A', 'host-name: press-4', 'names: [a, b]', 'https-port: 8443', 'http-port: 8080', 'streams: 9'])
      expect(text).toContain(said)
  })
})

describe('a running service', SLOW, () => {
  it('applies a setting immediately, and keeps it when the file is broken later', async () => {
    const url = await serve()
    expect(await statusOf(`${url}/machine-id`)).toBe(200)
    const { output } = await slotwire('config', 'set', 'paths.machine-id', '/who')
    expect(output).toContain('Notified the running service')
    await expect.poll(() => statusOf(`${url}/who`), { timeout: 20_000 }).toBe(200)
    expect(await statusOf(`${url}/machine-id`)).toBe(404)
    writeFileSync(join(state, 'settings.yaml'), 'paths:\n  machine-id: /api/who\n')
    server?.kill('SIGHUP')
    await expect.poll(() => logged, { timeout: 20_000 }).toContain('settings.yaml:2: paths.machine-id is not allowed: a path')
    expect(await statusOf(`${url}/who`)).toBe(200)
  })
})

describe('a service that starts', SLOW, () => {
  it('reports all mistakes of a broken file without a last good one, and ends with code 2', async () => {
    await slotwire('config', 'set', 'vendor', 'A')
    writeFileSync(join(state, 'settings.yaml'), 'nams: []\nvendor: ""\n')
    const { code, errors } = await slotwire('serve', '--port', '0')
    expect(code).toBe(2)
    expect(errors).toContain(
      '\n  settings.yaml:1: nams is unknown: did you mean names?\n  settings.yaml:2: vendor is not allowed: visible text in one line',
    )
  })

  it('has the restored state after a restore, and its own identity without --identity', async () => {
    const url = await serve()
    const identity = await (await fetch(`${url}/machine-id`)).text()
    const file = join(folder, 'backup.json')
    await slotwire('backup', '--identity', file)
    server?.kill('SIGINT')
    if (server !== undefined) await once(server, 'exit')
    state = join(folder, 'other')
    expect((await slotwire('restore', file)).code).toBe(0)
    const second = await serve()
    expect(await (await fetch(`${second}/machine-id`)).text()).not.toBe(identity)
    server?.kill('SIGINT')
    if (server !== undefined) await once(server, 'exit')
    expect((await slotwire('restore', '--identity', file)).code).toBe(0)
    expect(await (await fetch(`${await serve()}/machine-id`)).text()).toBe(identity)
  })
})
