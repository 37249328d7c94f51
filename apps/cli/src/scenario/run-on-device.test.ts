import { once } from 'node:events'
import { rmSync, writeFileSync } from 'node:fs'
import { createServer, request as forward } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { type Clock, ManualClock, SystemClock } from '@slotwire/core'
import { createTwin, type Twin } from '@slotwire/device/twin'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../../../tests/temporary-folder.testkit.ts'
import { runWith } from '../command.testkit.ts'

const THRESHOLD =
  '  - request: { post: io/5/input/analog/threshold, body: { pin: 1, threshold_millivolt: 900, trigger: rising } }\n'
const READS = `steps:
  - expect: { get: io/3/descriptor, body: { slot_number: 3 } }
  - expect: [{ session: 3, is: same }, { session: driver, is: present }]
  - after: 20ms
    expect: { get: io/7/descriptor, status: 404 }
  - expect: { event: write, is: absent }
`
const WRITES = `steps:
  - request: { get: io/5/descriptor, wait: false, as: described }
${THRESHOLD}  - wait: { event: write, slot: 5, record: { endpoint: setAnalogThreshold, status: 200 }, within: 2s }
  - repeat: { times: 2, steps: [{ expect: { answer: described, body: { slot_number: 5 } } }] }
`
const FAILS = `steps:\n${THRESHOLD}  - expect: { get: io/5/descriptor, status: 404 }\n`
const LASTS = `steps:\n${THRESHOLD}  - after: 1h\n    expect: { get: io/5/descriptor }\n`

let folder: string
let twin: Twin
let url: string
beforeAll(async () => {
  folder = temporaryFolder()
  twin = await createTwin()
  url = await twin.listen()
  await twin.start()
})
afterAll(async () => {
  await twin.close()
  rmSync(folder, { recursive: true })
})

let writes: () => readonly unknown[]
beforeEach(() => {
  const after = twin.journal.last
  writes = () =>
    twin.journal
      .read(after, ({ kind }) => ['write', 'lease'].includes(kind))
      .records.map((each) => each['endpoint'] ?? each['event'])
})

/** Runs a text at the device. */
async function run(
  text: string,
  words: readonly string[] = ['--yes'],
  stopped: Promise<unknown> = new Promise(() => undefined),
  clock: Clock = new SystemClock(),
) {
  writeFileSync(join(folder, 'a.yaml'), text)
  const line = ['scenario', 'run', join(folder, 'a.yaml'), '--url', url, ...words]
  const result = await runWith({ clock, stopped: () => stopped }, ...line)
  return { ...result, errors: result.errors.replaceAll(`${folder}/`, '') }
}

const DONE = ['granted', 'setAnalogThreshold', 'reset', 'given-back']

describe('slotwire scenario run --url', () => {
  it('reads without a question, a lease and a reset', async () => {
    const { code, output, errors } = await run(READS, [])
    expect([code, errors]).toEqual([0, ''])
    expect(output).toMatch(/^passed {2}a \(.*\): 5 steps, [\d.]+ s on the device, [\d.]+ s of real time\n$/)
    expect(writes()).toEqual([])
  })

  it.each([
    ['passes', WRITES, 0, /^passed /],
    ['fails', FAILS, 1, /^FAILED /],
  ])('a scenario that %s writes under a lease, and resets the io modules that it changed', async (_, text, code, output) => {
    expect(await run(text)).toEqual({ code, errors: '', output: expect.stringMatching(output) as unknown })
    expect(writes()).toEqual(DONE)
  })

  it('resets and gives the lease back after a stop', async () => {
    const isWritten = expect.poll(writes, { timeout: 10_000 }).toContain('setAnalogThreshold')
    const leases = isWritten.then(() => twin.request({ method: 'GET', path: '/slotwire/leases' }))
    expect(await run(LASTS, ['--yes'], leases)).toMatchObject({
      code: 130,
      // The answer to the first step may still be on its way.
      output: expect.stringMatching(/it was stopped; (1 step|2 steps) did not run/) as unknown,
    })
    expect(writes()).toEqual(DONE)
    expect((await leases).body).toMatchObject({ leases: [{ slots: [5], on_lapse: 'safe' }] })
  })

  it('asks before it writes', async () => {
    const { code, errors } = await run(WRITES, [])
    expect([code, errors]).toEqual([
      2,
      `slotwire: This drives pins or changes settings: slot 5 of ${url}. Repeat the command with --yes if you want that.\n`,
    ])
    expect(writes()).toEqual([])
  })

  it('stops when it loses its lease, and names what is not reset; then it leaves the slot alone', async () => {
    const clock = new ManualClock()
    let isOver = false
    const ran = run(LASTS, ['--yes'], undefined, clock).finally(() => (isOver = true))
    await expect.poll(() => clock.advance(1).then(writes), { timeout: 10_000 }).toContain('setAnalogThreshold')
    const body = { slots: [5], holder: 'other', ttl_seconds: 3600, on_lapse: 'keep', force: true }
    const { status, body: grant } = await twin.request({ method: 'POST', path: '/slotwire/leases', body })
    expect(status).toBe(200)
    await expect.poll(() => clock.advance(500).then(() => isOver), { timeout: 10_000 }).toBe(true)
    const { code, output, errors } = await ran
    expect([code, output]).toEqual([1, expect.stringMatching(/^FAILED .*\n +lease \d+ of slot 5 is lost: check the modules/)])
    expect(errors).toMatch(/slotwire: slot 5 is not reset: .*other/)
    expect(await run(WRITES)).toMatchObject({ code: 1, output: '', errors: expect.stringContaining('other') as unknown })
    const { number, secret } = grant as { readonly number: number; readonly secret: string }
    writeFileSync(join(folder, 'lease'), secret)
    expect(await run(WRITES, ['--yes', '--lease', join(folder, 'lease')])).toMatchObject({ code: 0, errors: '' })
    await twin.request({ method: 'DELETE', path: `/slotwire/leases/${number}`, headers: { 'slotwire-lease': secret } })
  })

  it('takes no lease on a server without /slotwire/, and refuses expectations of events there', async () => {
    const plain = createServer((request, response) => {
      const { method, headers } = request
      if (request.url?.startsWith('/slotwire')) response.writeHead(404).end()
      else
        request.pipe(
          forward(`${url}${request.url}`, { method, headers }, (answer) => {
            response.writeHead(answer.statusCode ?? 0, answer.headers)
            answer.pipe(response)
          }),
        )
    }).listen(0, '127.0.0.1')
    await once(plain, 'listening')
    const there = ['--yes', '--url', `http://127.0.0.1:${(plain.address() as AddressInfo).port}`]
    expect((await run(WRITES, there)).errors).toMatch(
      /^a\.yaml:4:5: wait: .* needs \/slotwire\/events, which this server lacks: leave it out/,
    )
    expect(writes()).toEqual([])
    expect(await run(FAILS, there)).toMatchObject({ code: 1, errors: '' })
    expect(writes()).toEqual(['setAnalogThreshold', 'reset'])
    plain.closeAllConnections()
    plain.close()
  })

  it('refuses what cannot run there, with its place, before the first step', async () => {
    const text = `seed: 7\ndevice: empty\n${FAILS}  - repeat:\n      times: 3\n      steps:\n        - short: 3/2\n        - expect: { pin: 3/1, volts: 0 }\n  - kill_service:\n`
    const { code, output, errors } = await run(text)
    expect([code, output]).toEqual([2, ''])
    expect(errors.split('\n')).toEqual([
      'a.yaml:1:1: seed is for a new virtual device: leave it out',
      'a.yaml:2:1: device is for a new virtual device: leave it out',
      'a.yaml:9:11: short needs the bench of a new virtual device: leave it out, or run it without --url',
      'a.yaml:10:11: expect: { pin: 3/1, volts: 0 } needs the bench of a new virtual device: leave it out, or run it without --url',
      'a.yaml:11:5: kill_service needs the bench of a new virtual device: leave it out, or run it without --url',
      '',
    ])
    expect(writes()).toEqual([])
  })
})
