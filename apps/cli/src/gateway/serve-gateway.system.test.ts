import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

const MAIN = join(import.meta.dirname, '../../dist/main.js')

let folder: string
let children: ChildProcess[]
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'slotwire gateway '))
  children = []
})
afterEach(async () => {
  for (const child of children) await end(child)
  rmSync(folder, { recursive: true, force: true })
})

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGTERM')
  await once(child, 'exit')
}

/** Starts a command that serves. Resolves with its loopback URL. */
async function start(command: string, state: string, port: string, ...args: string[]) {
  const own = ['--json', '--port', port, '--state', join(folder, state), '--log-level', 'error']
  const child = spawn(process.execPath, [MAIN, command, ...own, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  children.push(child)
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
  const { urls } = JSON.parse(line) as { urls: readonly string[] }
  return { child, url: urls[0] ?? '' }
}

async function statusOf(url: string): Promise<{ status: number; code: unknown }> {
  const response = await fetch(url)
  const body = (await response.json()) as Record<string, unknown>
  return { status: response.status, code: body['code'] }
}

describe('slotwire gateway', () => {
  it('forwards to several services; if one is down, the others still answer', async () => {
    const io = await start('serve', 'io', '0', '--services', 'io')
    const bmc = await start('serve', 'bmc', '0', '--services', 'bmc')
    const { url } = await start('gateway', 'door', '0', '--upstream', `io=${io.url}`, '--upstream', `bmc=${bmc.url}`)
    expect(await statusOf(`${url}/api/io/1.0/5/input/values`)).toMatchObject({ status: 200 })
    expect(await statusOf(`${url}/api/bmc/1.0/0/voltage`)).toMatchObject({ status: 200 })
    expect(await statusOf(`${url}/api/power/`)).toEqual({ status: 404, code: 404 })
    expect(await statusOf(`${url}/slotwire/readyz`)).toMatchObject({ status: 200 })
    await end(io.child)
    expect(await statusOf(`${url}/api/io/1.0/5/input/values`)).toEqual({ status: 502, code: 502 })
    expect(await statusOf(`${url}/api/bmc/1.0/0/voltage`)).toMatchObject({ status: 200 })
    await start('serve', 'io', new URL(io.url).port, '--services', 'io')
    expect(await statusOf(`${url}/api/io/1.0/5/input/values`)).toMatchObject({ status: 200 })
  }, 30_000)

  it.each([
    [[], 'no service to forward to'],
    [['--upstream', 'relay=http://127.0.0.1:1'], 'must begin with one of bmc, io, power'],
    [['--upstream', 'io=http://127.0.0.1:1/api'], 'without a path'],
  ])('refuses %j', async (args, message) => {
    const own = ['--port', '0', '--state', folder]
    const child = spawn(process.execPath, [MAIN, 'gateway', ...own, ...args], { stdio: ['ignore', 'ignore', 'pipe'] })
    children.push(child)
    const [said] = await Promise.all([text(child.stderr), once(child, 'exit')])
    expect([said, child.exitCode]).toEqual([expect.stringContaining(message), 2])
  })
})
