import { ManualClock, silentLog } from '@slotwire/core'
import { listen } from '@slotwire/edge'
import type { Caller } from '@slotwire/service'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../../../tests/temporary-folder.testkit.ts'
import { createToy, type Toy } from '../../../service/src/toy.testkit.ts'
import { Journal } from '../journal.ts'
import { FLUSH_MS, HistoryFiles } from './history-files.ts'
import { addHistoryRoute } from './history-route.ts'

const PATH = '/slotwire/history'
const START_MS = Date.UTC(2026, 10, 23, 19)

let folder: string
let toy: Toy
let journal: Journal
beforeEach(async () => {
  folder = temporaryFolder()
  toy = await createToy()
  const clock = new ManualClock()
  const wallTime = () => START_MS + clock.now()
  const open = (boot: number): Journal => {
    const history = new HistoryFiles({ folder, boot, clock, log: silentLog })
    return new Journal({ boot, clock, wallTime, log: silentLog, history })
  }
  const before = open(1)
  before.add({ kind: 'device', state: 'up' })
  before.add({ kind: 'alert', slot: 3, service: 'io', pin: 1 })
  await clock.advance(FLUSH_MS)
  before.add({ kind: 'write', slot: 3, service: 'io' })
  before.close()
  journal = open(2)
  await clock.advance(60_000 - FLUSH_MS)
  journal.add({ kind: 'module', slot: 5, service: 'power' })
  await clock.advance(FLUSH_MS)
  journal.add({ kind: 'alert', slot: 4, service: 'io', pin: 2 })
  addHistoryRoute(toy.service, journal)
})
afterEach(() => toy.service.close())

async function page(query = '') {
  const { records, next } = (await toy.service.inject(PATH + query)).json<{ records: { id: string }[]; next: string }>()
  return [records.map(({ id }) => id), next]
}

describe('GET /slotwire/history', () => {
  it.each([
    ['', ['1-1', '1-2', '2-1', '2-2'], '2-2'],
    ['?since=1-1', ['1-2', '2-1', '2-2'], '2-2'],
    ['?since=1-3', ['2-1', '2-2'], '2-2'],
    ['?since=1-1&count=1', ['1-2'], '2-0'],
    ['?kinds=alert', ['1-2', '2-2'], '2-2'],
    ['?kinds=alert,module&slots=3,5', ['1-2', '2-1'], '2-2'],
    ['?kinds=power', [], '2-2'],
    ['?since=2-2', [], '2-2'],
    ['?since=9-9', ['1-1', '1-2', '2-1', '2-2'], '2-2'],
    ['?since=2026-11-23T19:01:00Z', ['2-1', '2-2'], '2-2'],
    ['?since=2026-11-23T20:01:00.001+01:00', ['2-2'], '2-2'],
    ['?since=2027-01-01T00:00:00Z', [], '2-2'],
  ])('answers %j with the records that it asks for, of all starts and those that wait for the disk', async (query, ids, next) =>
    expect(await page(query)).toEqual([ids, next]),
  )

  it.each([
    ['?since=yesterday', 'since is yesterday: write the id of a record, as 7-1234, or a time, as 2026-11-23T19:00:00Z'],
    ['?since=', 'since is "": write the id of a record, as 7-1234, or a time, as 2026-11-23T19:00:00Z'],
    ['?since=2026-13-01T00:00:00Z', 'since is 2026-13-01T00:00:00Z: write the id'],
    ['?since=2026-02-30T00:00:00Z', 'since is 2026-02-30T00:00:00Z: write the id'],
    ['?kinds=alarm', 'kinds has alarm, which is no kind: did you mean alert'],
    [
      '?kinds=write',
      'kinds has write, which is not in the history: use device, module, alert, protection, power and watchdog, or the stream',
    ],
    ['?slots=8', 'slots is 8: write 0…7'],
    ['?count=0', 'count is 0: write 1…1000'],
    ['?count=1001', 'count is 1001: write 1…1000'],
    ['?count=1&count=2', 'count is given twice: give it once'],
    ['?kind=alert', 'the parameter kind is unknown: did you mean kinds'],
  ])('refuses %j', async (query, message) => {
    const answer = await toy.service.inject(PATH + query)
    expect([answer.statusCode, answer.json<{ message: string }>().message]).toEqual([422, expect.stringContaining(message)])
  })

  it('shows a token the records of its services, and of the whole device', async () => {
    const caller: Caller = { door: 'network', address: '192.0.2.7', readOnly: true, sees: (path) => path === '/api/io/1.0' }
    const { address } = await listen(toy.service, { host: '127.0.0.1', port: 0 }, { checkAccess: () => ({ caller }) })
    const ask = (method: string) => fetch(`http://127.0.0.1:${address.port}${PATH}`, { method })
    const { records } = (await (await ask('GET')).json()) as { records: { id: string }[] }
    expect(records.map(({ id }) => id)).toEqual(['1-1', '1-2', '2-2'])
    const head = await ask('HEAD')
    expect([head.status, head.headers.get('content-type'), await head.text()]).toEqual([200, 'application/json', ''])
  })

  it('bounds a page in size', async () => {
    const text = 'x'.repeat(4000)
    for (let number = 0; number < 500; number++) journal.add({ kind: 'device', text })
    const pages: number[] = []
    let since = '2-2'
    for (let count = -1; count !== 0; ) {
      const answer = await toy.service.inject(`${PATH}?count=1000&since=${since}`)
      const { records, next } = answer.json<{ records: object[]; next: string }>()
      count = records.length
      since = next
      pages.push(count)
      expect(answer.body.length).toBeLessThan(600_000)
    }
    expect([pages.length, pages.reduce((sum, each) => sum + each)]).toEqual([5, 500])
  })

  it('reads one page at a time, and nothing more for a client that has left, before its turn or in it', async () => {
    const lines = journal.storedLines.bind(journal)
    const leaving = new AbortController()
    let [reading, most, whole] = [0, 0, 0]
    journal.storedLines = function* (after) {
      try {
        most = Math.max(most, ++reading)
        yield []
        leaving.abort()
        yield []
        whole++
        yield* lines(after)
      } finally {
        reading--
      }
    }
    const leave = () => toy.service.inject({ url: PATH, signal: leaving.signal }).catch(() => 'left')
    expect(await Promise.all([leave(), page(), leave(), page()])).toEqual(['left', await page(), 'left', await page()])
    expect([most, whole]).toEqual([1, 4])
  })

  it('serves what memory holds without a disk', async () => {
    const other = await createToy()
    const memory = new Journal({ boot: 1, clock: new ManualClock(), wallTime: () => 0, log: silentLog })
    memory.add({ kind: 'write' })
    memory.add({ kind: 'alert' })
    addHistoryRoute(other.service, memory)
    const { records } = (await other.service.inject(PATH)).json<{ records: { id: string }[] }>()
    expect(records).toEqual([memory.records()[1]])
  })
})
