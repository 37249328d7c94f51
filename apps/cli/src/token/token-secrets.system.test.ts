import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { Serving } from '../serve/serve-process.testkit.ts'

const serving = new Serving()
const DOORS = ['--listen', '127.0.0.1', '--https-port', '0', '--http-port', '0']

function contentsOf(folder: string): readonly string[] {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name))
  return paths.filter((path) => statSync(path).isFile()).map((path) => readFileSync(path, 'latin1'))
}

it('slotwire serve and slotwire token store no token that a client sends anywhere, neither in a file nor in the log', async () => {
  const { announcement, run, end } = await serving.start('--log-level', 'debug', ...DOORS)
  const url = announcement.networkUrls.find((each) => each.startsWith('http:')) ?? ''
  const right = (await serving.slotwire('token', 'create', '--name', 'a')).output.trim()
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
  await serving.slotwire('token', 'revoke', 'a')
  await end('SIGTERM')
  const log = run.errors

  expect([...statuses].sort()).toEqual([200, 400, 401, 404, 422, 429])
  expect(log).toContain('"msg":"a login failed"')
  expect(log).toContain('"path":"/api/io/1.0/5/input/mode","slot":5,"status":200')
  const files = contentsOf(serving.state)
  expect(files.join()).toContain('"action":"write"')
  for (const secret of secrets) for (const text of [log, ...files]) expect(text).not.toContain(secret)
}, 60_000)
