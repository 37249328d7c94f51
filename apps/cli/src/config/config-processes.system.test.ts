import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { Serving } from '../serve/serve-process.testkit.ts'

const serving = new Serving()
const { slotwire } = serving

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
    const text = readFileSync(join(serving.state, 'settings.yaml'), 'utf8')
    for (const said of ['vendor: A', 'host-name: press-4', 'names: [a, b]', 'https-port: 8443', 'http-port: 8080', 'streams: 9'])
      expect(text).toContain(said)
  })
})

describe('a running service', SLOW, () => {
  it('applies a setting immediately, and keeps it when the file is broken later', async () => {
    const { url, run } = await serving.start()
    expect(await statusOf(`${url}/machine-id`)).toBe(200)
    const { output } = await slotwire('config', 'set', 'paths.machine-id', '/who')
    expect(output).toContain('Notified the running service')
    await expect.poll(() => statusOf(`${url}/who`), { timeout: 20_000 }).toBe(200)
    expect(await statusOf(`${url}/machine-id`)).toBe(404)
    writeFileSync(join(serving.state, 'settings.yaml'), 'paths:\n  machine-id: /api/who\n')
    run.child.kill('SIGHUP')
    await expect.poll(() => run.errors, { timeout: 20_000 }).toContain('settings.yaml:2: paths.machine-id is not allowed: a path')
    expect(await statusOf(`${url}/who`)).toBe(200)
  })
})

describe('a service that starts', SLOW, () => {
  it('reports all mistakes of a broken file without a last good one, and ends with code 2', async () => {
    await slotwire('config', 'set', 'vendor', 'A')
    writeFileSync(join(serving.state, 'settings.yaml'), 'nams: []\nvendor: ""\n')
    const { code, errors } = await slotwire('serve', '--port', '0')
    expect(code).toBe(2)
    expect(errors).toContain(
      '\n  settings.yaml:1: nams is unknown: did you mean names?\n  settings.yaml:2: vendor is not allowed: visible text in one line',
    )
  })

  it('has the restored state after a restore, and its own identity without --identity', async () => {
    const { url, end } = await serving.start()
    const identity = await (await fetch(`${url}/machine-id`)).text()
    const file = `${serving.state}-backup.json`
    onTestFinished(() => rmSync(file))
    await slotwire('backup', '--identity', file)
    await end('SIGINT')
    rmSync(serving.state, { recursive: true })
    expect((await slotwire('restore', file)).code).toBe(0)
    const second = await serving.start()
    expect(await (await fetch(`${second.url}/machine-id`)).text()).not.toBe(identity)
    await second.end('SIGINT')
    expect((await slotwire('restore', '--identity', file)).code).toBe(0)
    expect(await (await fetch(`${(await serving.start()).url}/machine-id`)).text()).toBe(identity)
  })
})
