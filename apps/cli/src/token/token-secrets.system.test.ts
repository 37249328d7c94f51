import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { beforeEach, expect, it } from 'vitest'
import { temporaryFolder } from '../../../../tests/temporary-folder.testkit.ts'
import type { StartAnnouncement } from '../serve/announcement.ts'

const MAIN = join(import.meta.dirname, '../../dist/main.js')

let state: string
beforeEach(() => (state = temporaryFolder()))

/** Serves the network without TLS, and keeps its whole log. */
async function serve() {
  const doors = ['--port', '0', '--listen', '127.0.0.1', '--https-port', '0', '--http-port', '0']
  const words = [MAIN, 'serve', '--json', '--state', state, '--log-level', 'debug', ...doors]
  const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'pipe'] })
  let said = ''
  child.stderr.on('data', (data) => (said += String(data)))
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
  const url = (JSON.parse(line) as StartAnnouncement).networkUrls.find((each) => each.startsWith('http:')) ?? ''
  const stop = async (): Promise<string> => {
    child.kill('SIGTERM')
    await once(child, 'close')
    return said
  }
  return { url, stop }
}

function contentsOf(folder: string): readonly string[] {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name))
  return paths.filter((path) => statSync(path).isFile()).map((path) => readFileSync(path, 'latin1'))
}

it('slotwire serve and slotwire token store no token that a client sends anywhere, neither in a file nor in the log', async () => {
  const { url, stop } = await serve()
  const slotwire = async (...words: string[]): Promise<string> =>
    (await promisify(execFile)(process.execPath, [MAIN, ...words, '--state', state])).stdout.trim()
  const right = await slotwire('token', 'create', '--name', 'a')
  const secrets: string[] = []
  const statuses = new Set<number>()
  for (const token of [right, right.slice(0, 40), `${right}x`]) {
    const credentials = Buffer.from(`token:${token}`).toString('base64')
    secrets.push(token.slice(13), credentials)
    const headers = { authorization: `Basic ${credentials}`, 'content-type': 'application/json' }
    const mode = `${url}/api/io/1.0/5/input/mode`
    const body = '{"pin":1,"mode":"digital"}'
    const answers = [
      await fetch(`${url}/api/io/`, { headers }),
      await fetch(mode, { method: 'POST', headers, body }),
      await fetch(`${mode}?access_token=${token}`, { method: 'POST', headers, body }),
      await fetch(`${url}/api/io/1.0/${token}/reset`, { method: 'POST', headers, body }),
      await fetch(mode, { method: 'POST', headers, body: JSON.stringify({ pin: 1, mode: token }) }),
      await fetch(mode, { method: 'POST', headers: { ...headers, 'user-agent': token, 'x-token': token }, body: token }),
      await fetch(`${url}/api/io/`, { headers: { authorization: `Bearer ${token}` } }),
    ]
    for (const { status } of answers) statuses.add(status)
  }
  await slotwire('token', 'revoke', 'a')
  const log = await stop()

  expect([...statuses].sort()).toEqual([200, 400, 401, 404, 422, 429])
  expect(log).toContain('"msg":"a login failed"')
  expect(log).toContain('"path":"/api/io/1.0/5/input/mode","slot":5,"status":200')
  const files = contentsOf(state)
  expect(files.join()).toContain('"action":"write"')
  for (const secret of secrets) for (const text of [log, ...files]) expect(text).not.toContain(secret)
}, 60_000)
