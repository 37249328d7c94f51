import { writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { SystemClock } from '@slotwire/core'
import { describe, expect, it } from 'vitest'
import { atTestEnd } from '../../../../tests/at-test-end.testkit.ts'
import { SlotwireProcess } from '../../../../tests/program/slotwire-process.testkit.ts'
import { temporaryFolder } from '../../../../tests/temporary-folder.testkit.ts'
import { type AnnouncedTwins, formatTwins } from './twins.ts'

/** Promised time from a signal to the end. */
const END_WITHIN_MS = 2000

const clock = new SystemClock()

const slotwire = (...args: string[]) => new SlotwireProcess(args)

async function twins(...args: string[]) {
  const served = slotwire('serve', '--json', '--log-level', 'warn', ...args)
  return { served, announced: JSON.parse(await served.firstLine()) as AnnouncedTwins }
}

/** A port in use on this machine, whose lower neighbour is free. */
async function takenPort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => {
    server.listen({ host: '127.0.0.1', port: 0 }, resolve)
  })
  atTestEnd(() => new Promise((resolve) => server.close(resolve)))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
}

async function get(url: string): Promise<unknown> {
  return (await fetch(url)).json()
}

function post(url: string, body: object): Promise<Response> {
  return fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })
}

describe('slotwire serve --twins', { timeout: 60_000 }, () => {
  it('serves several devices, each on its port, and announces them when all answer', async () => {
    const { announced } = await twins('--twins', '3', '--port', '0')
    expect(announced.twins.map(({ twin, seed }) => [twin, seed])).toEqual([
      [1, 1],
      [2, 2],
      [3, 3],
    ])
    const urls = announced.twins.map(({ url }) => url)
    expect(new Set(urls).size).toBe(3)
    for (const url of urls) expect(await get(`${url}/slotwire/readyz`)).toEqual({ status: 'success' })
    const descriptors = await Promise.all(urls.map((url) => get(`${url}/api/io/1.0/5/descriptor`)))
    expect(new Set(descriptors.map((descriptor) => JSON.stringify(descriptor))).size).toBe(3)
  })

  it('keeps the devices apart: a change of one does not affect the others', async () => {
    const { announced } = await twins('--twins', '2', '--port', '0', '--services', 'bmc')
    const [one, other] = announced.twins.map(({ url }) => `${url}/api/bmc/1.0/0/watchdog`)
    expect((await post(String(one), { timeout: 600_000 })).status).toBe(200)
    expect(await get(String(one))).toMatchObject({ timeout: 600_000 })
    expect(await get(String(other))).toMatchObject({ timeout: 0 })
  })

  it('builds each of several devices as the rig says', async () => {
    const folder = temporaryFolder()
    const rig = join(folder, 'rig.yaml')
    writeFileSync(rig, 'device: empty\nmodules: { 4: io }\nsteps: [{ connect: { pin: 4/1, to: { source: 5V }, as: sensor } }]\n')
    const { announced } = await twins('--twins', '2', '--port', '0', '--rig', rig)
    for (const { url } of announced.twins)
      expect(await get(`${url}/slotwire/bench/wiring`)).toMatchObject({ connections: [{ name: 'sensor', pins: ['4/1'] }] })
  })

  it('prints a table for people', () => {
    const announced = [
      { twin: 1, url: 'http://127.0.0.1:8080', seed: 1 },
      { twin: 2, url: 'http://127.0.0.1:8081', seed: 2 },
    ]
    const text = formatTwins({ version: '0.1.0', services: ['bmc', 'io'], twins: announced }, { bold: (words) => String(words) })
    expect(text.split('\n')).toEqual([
      'Slotwire 0.1.0 serves 2 virtual devices, each with bmc, io',
      'TWIN  URL                    SEED',
      '1     http://127.0.0.1:8080  1',
      '2     http://127.0.0.1:8081  2',
      '',
    ])
  })

  it('ends if a port is not available, and names it', async () => {
    const taken = await takenPort()
    const { code, output, errors } = await slotwire('serve', '--twins', '3', '--port', String(taken - 1)).ended
    expect([code, output]).toEqual([2, ''])
    // Another program may use the neighbour port.
    expect(errors).toMatch(new RegExp(`^slotwire: port (${taken}|${taken - 1}) is taken: choose another with --port <number>`))
  })

  it('refuses options without meaning for several devices', async () => {
    const { code, errors } = await slotwire('serve', '--twins', '2', '--listen', '0.0.0.0').ended
    expect([code, errors]).toEqual([2, 'slotwire: --listen cannot be used with --twins: they only open loopback ports\n'])
  })

  it.each(['SIGINT', 'SIGTERM'] as const)('ends with code 0 within two seconds after %s', async (signal) => {
    const { served } = await twins('--twins', '20', '--port', '0')
    const from = clock.now()
    served.child.kill(signal)
    expect(await served.ended).toMatchObject({ code: 0, errors: '' })
    expect(clock.now() - from).toBeLessThan(END_WITHIN_MS)
  })

  it('ends within two seconds during its start too, and announces nothing', async () => {
    const served = slotwire('serve', '--twins', '200', '--port', '0', '--json')
    // It logs when the doors are open. Then it starts the twins one after the other.
    await new Promise((resolve) => served.child.stderr?.once('data', resolve))
    const from = clock.now()
    served.child.kill('SIGINT')
    expect(await served.ended).toMatchObject({ code: 0, output: '' })
    expect(clock.now() - from).toBeLessThan(END_WITHIN_MS)
  })
})
