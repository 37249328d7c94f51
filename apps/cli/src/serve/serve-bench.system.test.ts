import { SystemClock } from '@slotwire/core'
import { describe, expect, it } from 'vitest'
import { freePort } from '../../../../tests/program/free-port.testkit.ts'
import { SlotwireProcess } from '../../../../tests/program/slotwire-process.testkit.ts'
import type { AnnouncedTwins } from '../twins/twins.ts'
import { Serving } from './serve-process.testkit.ts'

/** Promised time from a signal to the end. */
const END_WITHIN_MS = 2000

const clock = new SystemClock()
const serving = new Serving()

class Client {
  constructor(private readonly url: string) {}

  async get(path: string): Promise<unknown> {
    return (await fetch(this.url + path)).json()
  }

  async act(path: string, body: object = {}): Promise<unknown> {
    const headers = { 'content-type': 'application/json' }
    return (await fetch(`${this.url}/slotwire/bench/${path}`, { method: 'POST', headers, body: JSON.stringify(body) })).json()
  }
}

async function serve(...words: string[]) {
  const { run, url } = await serving.start(...words)
  return { run, client: new Client(url) }
}

const SERVE = ['serve', '--json', '--log-level', 'warn', '--port']
const done = { status: 'success' }

describe('the bench of a served twin', { timeout: 60_000 }, () => {
  it('is served on the loopback door: the API reads a source on a pin', async () => {
    const { client } = await serve()
    expect(await client.act('connect', { pin: '3/1', to: { source: { volts: 24, ohms: 10_000 } } })).toMatchObject(done)
    const values = await client.get('/api/io/1.0/3/input/values')
    expect(JSON.stringify(values)).toMatch(/"pin":1,"pin_type":"voltage_millivolt","value":23\d\d\d/)
  })

  it('is not served with --no-bench', async () => {
    const { client } = await serve('--no-bench')
    expect(await client.get('/slotwire/bench')).toMatchObject({ status: 'error', code: 404 })
    expect(await client.get('/slotwire/readyz')).toEqual(done)
  })

  it('controls the time of each twin separately', async () => {
    const announced = JSON.parse(await new SlotwireProcess([...SERVE, '0', '--twins', '2']).firstLine()) as AnnouncedTwins
    const [one, other] = announced.twins.map(({ url }) => new Client(url))
    await one?.act('time/pause')
    expect(await one?.get('/slotwire/bench/time')).toMatchObject({ pace: 0 })
    expect(await other?.get('/slotwire/bench/time')).toMatchObject({ pace: 1 })
  })

  it('can speed up time: the modules keep their sessions for an hour within seconds', async () => {
    const { client } = await serve()
    const sessions = async () => JSON.stringify(await client.get('/api/io/')).match(/session":"\w+"/g)
    const before = await sessions()
    const timeMs = async () => ((await client.get('/slotwire/bench/time')) as { now_ms: number }).now_ms
    const from = await timeMs()
    expect(await client.act('time/pace', { pace: 10_000 })).toEqual(done)
    await expect.poll(async () => (await timeMs()) - from, { timeout: 40_000, interval: 100 }).toBeGreaterThan(3_600_000)
    expect(await sessions()).toEqual(before)
  })
})

describe.each(['SIGINT', 'SIGTERM'] as const)('%s to a twin', (signal) => {
  it.each([
    ['with stopped time', 0],
    ['at a hundredth of real time', 0.01],
  ])('%s ends it within two seconds and answers the waiting request', async (_how, pace) => {
    const { run, client } = await serve('--bus', 'timed')
    expect(await client.act('time/pace', { pace })).toEqual(done)
    // The request needs the bus, which needs time.
    const waiting = client.get('/api/io/1.0/5/input/values').catch((error: unknown) => error)
    await client.get('/slotwire/bench/time')
    const from = clock.now()
    run.child.kill(signal)
    expect(await run.ended).toMatchObject({ code: 0 })
    expect(clock.now() - from).toBeLessThan(END_WITHIN_MS)
    expect(JSON.stringify(await waiting)).toMatch(/"pins"|"code":503/)
  })

  it('ends it within two seconds if its time is stopped during the start', async () => {
    const port = await freePort()
    const run = new SlotwireProcess([...SERVE, String(port), '--state', serving.state, '--bus', 'timed'])
    const client = new Client(`http://127.0.0.1:${port}`)
    const paused = { interval: 1, timeout: 20_000 }
    await expect.poll(() => client.act('time/pause').catch(() => undefined), paused).toEqual(done)
    expect(await client.get('/slotwire/readyz')).toMatchObject({
      code: 503,
      message: expect.stringContaining('starting') as string,
    })
    const from = clock.now()
    run.child.kill(signal)
    expect(await run.ended).toMatchObject({ code: 0 })
    expect(clock.now() - from).toBeLessThan(END_WITHIN_MS)
  })
})

it('a running step of the bench ends with the service', async () => {
  const { run, client } = await serve()
  await client.act('time/pause')
  const step = client.act('time/step', { ms: 600_000 }).catch((error: unknown) => error)
  await expect.poll(async () => ((await client.get('/slotwire/bench/time')) as { now_ms: number }).now_ms).toBeGreaterThan(0)
  const from = clock.now()
  run.child.kill('SIGINT')
  expect(await run.ended).toMatchObject({ code: 0, errors: '' })
  expect(clock.now() - from).toBeLessThan(END_WITHIN_MS)
  await step
})
