import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { ManualClock, silentLog } from '@slotwire/core'
import type { Caller } from '@slotwire/service'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { RecordingLog } from '../../../driver/src/rack/recording-log.testkit.ts'
import { Journal } from '../journal.ts'
import { StreamWorld } from '../stream/stream.testkit.ts'
import { MergedServices } from './merged-services.ts'

const OWN = { boot: 9, last: '9-0', driver_session: '', modules: [], leases: [] }
const LEASE = { number: 1, slots: [3], holder: 'line 3', expires_at: '2020-01-01T00:00:00.000Z', seconds_left: 60 }
const MODULE = { slot: 3, service: 'toy', type: '', session: '', since: '', state: {} }

let clock: ManualClock
let log: RecordingLog
let journal: Journal
let merged: MergedServices | undefined
const ends: (() => Promise<unknown>)[] = []
beforeEach(() => {
  clock = new ManualClock()
  log = new RecordingLog()
  journal = new Journal({ boot: 9, clock, wallTime: () => 1000, log: silentLog })
})
afterEach(async () => {
  merged?.close()
  for (const end of ends.splice(0)) await end()
  await expect.poll(() => clock.pending, { interval: 1 }).toBe(0)
})

const follow = (upstreams: Readonly<Record<string, string>>): MergedServices => {
  merged = new MergedServices({ journal, upstreams, clock, wallTime: () => 1000, random: () => 1, log })
  return merged
}
const records = (kind = 'alert') => journal.records().filter((record) => record.kind === kind)
const origins = () => records().map(({ origin }) => origin)

/** A service that answers as a test says. */
async function server(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
  const http = createServer(answer)
  await new Promise<void>((resolve) => void http.listen(0, '127.0.0.1', resolve))
  ends.push(async () => {
    http.closeAllConnections()
    await new Promise((resolve) => void http.close(resolve))
  })
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}`
}

const event = (id: string, data: object) => `id: ${id}\ndata: ${JSON.stringify(data)}\n\n`
const hello = event('5-0', { kind: 'hello', state: { ...OWN, modules: [MODULE] } })
const alert = (id: string, fields: object = {}) =>
  event(id, { id, at: '1970-01-01T00:00:00.500Z', up_ms: 5, kind: 'alert', slot: 3, service: 'toy', pin: 1, ...fields })

describe('MergedServices', () => {
  it('numbers the records of a real stream again, with their time and the original id', async () => {
    const world = await StreamWorld.open()
    ends.push(() => world.close())
    follow({ toy: `http://127.0.0.1:${world.port}` })
    // What happened before is unknown.
    await expect
      .poll(() => records('gap'), { interval: 1 })
      .toMatchObject([{ id: '9-1', from: '9-1', to: '9-1', missing: null, service: 'toy' }])
    const ids = await world.alerts(3)
    await expect.poll(origins, { interval: 1 }).toEqual(ids.map((id) => `toy:${id}`))
    const { at: _at, ...same } = records()[0] ?? {}
    expect(same).toEqual({
      id: '9-2',
      up_ms: 0,
      kind: 'alert',
      slot: 3,
      service: 'toy',
      pin: 1,
      origin: ids[0] === undefined ? '' : `toy:${ids[0]}`,
    })
    expect(records()[0]?.at).toBe('1970-01-01T00:00:00.000Z')
  })

  it('continues after an interruption where it was, passes a gap on, and logs each interruption once', async () => {
    const asked: (string | undefined)[] = []
    const answers = [
      hello + alert('5-1'),
      undefined,
      undefined,
      alert('5-2'),
      event('5-9', { kind: 'gap', missing: 7 }) + hello + alert('5-10'),
    ]
    const address = await server((request, response) => {
      asked.push(request.headers['last-event-id']?.toString())
      const text = answers[asked.length - 1]
      if (text === undefined) response.writeHead(503).end()
      else response.end(text)
    })
    follow({ toy: address })
    for (const [index, wait] of [250, 500, 1000, 250].entries()) {
      await expect.poll(() => asked.length, { interval: 1 }).toBe(index + 1)
      // Its timer is now that of the next attempt.
      await expect.poll(() => clock.nextDue, { interval: 1 }).toBe(clock.now() + wait)
      await clock.advance(wait)
    }
    await expect.poll(origins, { interval: 1 }).toEqual(['toy:5-1', 'toy:5-2', 'toy:5-10'])
    expect([asked, records('gap').map(({ missing }) => missing)]).toEqual([
      [undefined, '5-1', '5-1', '5-1', '5-2'],
      [null, 7],
    ])
    await expect.poll(() => log.linesOf('warn').length, { interval: 1 }).toBe(3)
  })

  it('leaves out records of other services, and those that come from a gateway', async () => {
    const text = hello + alert('5-1', { service: 'other' }) + alert('5-2', { origin: 'toy:1-1' }) + alert('5-3')
    const address = await server((_, response) => response.writeHead(200).write(text))
    follow({ toy: address })
    await expect.poll(origins, { interval: 1 }).toEqual(['toy:5-3'])
  })

  it('gives a gap to readers that want the service, whatever kinds and slots they want', async () => {
    follow({ toy: await server((_, response) => response.writeHead(200).write(hello)) })
    await expect.poll(() => records('gap').length, { interval: 1 }).toBe(1)
    const world = await StreamWorld.open()
    ends.push(() => world.close())
    world.journal.add({ kind: 'gap', service: 'toy', missing: null })
    const { body } = await world.ask('?after=7-0&kinds=usb&slots=5', { headers: { accept: 'application/json' } })
    expect(body).toContain('"kind":"gap"')
  })

  it('shows no module of a service whose stream has ended', async () => {
    let end = (): unknown => undefined
    const services = follow({
      toy: await server((_, response) => {
        response.writeHead(200).write(hello)
        end = () => response.destroy()
      }),
    })
    const modules = () => services.state(OWN, undefined).modules
    await expect.poll(modules, { interval: 1 }).toEqual([MODULE])
    end()
    await expect.poll(modules, { interval: 1 }).toEqual([])
  })

  it('shows the state that services report, and reads it again after a change', async () => {
    let slot = 3
    const address = await server((request, response) => {
      if (request.url === '/slotwire/events')
        response.writeHead(200).write(hello + event('5-1', { id: '5-1', kind: 'write', service: 'toy' }))
      else if (request.url === '/slotwire/state')
        response.end(
          JSON.stringify({
            ...OWN,
            leases: [LEASE],
            modules: [
              { ...MODULE, slot },
              { ...MODULE, service: 'other' },
            ],
          }),
        )
      else response.end(JSON.stringify({ path: request.url }))
    })
    const services = follow({ toy: address })
    const slots = (caller?: Caller) => services.state(OWN, caller).modules.map((module) => module.slot)
    await expect.poll(() => slots(), { interval: 1 }).toEqual([3])
    const blind: Caller = { door: 'network', address: '192.0.2.7', readOnly: true, sees: () => false }
    expect(slots(blind)).toEqual([])
    slot = 4
    await clock.advance(100)
    await expect.poll(() => slots(), { interval: 1 }).toEqual([4])
    expect([undefined, blind].map((caller) => services.state(OWN, caller).leases)).toEqual([
      [{ ...LEASE, expires_at: '1970-01-01T00:01:01.000Z' }],
      [],
    ])
    await clock.advance(20_000)
    expect(services.state(OWN, undefined).leases).toEqual([
      { ...LEASE, expires_at: '1970-01-01T00:00:41.000Z', seconds_left: 40 },
    ])
    const read = services.reader('toy')
    const watched = { path: 'toy/3/level', service: 'toy', slot: 3, endpoint: 'getLevel', parameters: {} }
    expect(await read?.(watched)).toEqual({ path: '/api/toy/1.0/3/level' })
    expect(services.reader('other')).toBeUndefined()
  })
})
